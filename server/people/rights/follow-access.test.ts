import { expect, test } from "vitest";
import { defaultRights } from "#contract/accounts/rights.ts";
import type { Visitor } from "#server/lib/route.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { createFollowAccess } from "./follow-access.ts";
import { createRights } from "./rights.ts";
import { changeAccessSettings, publishRightsChangeOf } from "./rows.ts";

const pages = 300;

describeEveryEngine("the open pages of many people", (open) => {
  test("read again when the rights of their own person change, and take turns when those of all do", async () => {
    const db = await open();
    const rights = createRights({ db });
    const reads: { userId: string; atMs: number }[] = [];
    const follow = createFollowAccess({
      db,
      rights: {
        async digestOf(visitor) {
          reads.push({ userId: visitor.userId, atMs: performance.now() });
          return await rights.digestOf(visitor);
        },
      },
    });
    const end = new AbortController();
    const changed = new Set<string>();
    const all = Array.from({ length: pages }, async (_, n) => {
      const visitor = guest(`user_${n}`);
      const { changes } = (await follow(visitor))!;
      for await (const digest of changes(end.signal)) if (digest !== "") changed.add(visitor.userId);
    });
    await expect.poll(() => reads.length).toBe(2 * pages);

    reads.length = 0;
    await db.write(async (tx) => publishRightsChangeOf(tx, "user_7"));
    await expect.poll(() => reads.map(({ userId }) => userId)).toEqual(["user_7"]);
    expect(changed.size).toBe(0);

    reads.length = 0;
    const startMs = performance.now();
    const guests = { ...defaultRights.guest, permissions: [] };
    const change = { guest: guests, member: undefined, linkSharing: undefined };
    await db.write(async (tx) => await changeAccessSettings(tx, change, 0));
    await expect.poll(() => changed.size, { timeout: 5_000 }).toBe(pages);
    expect(reads).toHaveLength(pages);
    // All of them take 0.6 s.
    expect(reads.filter(({ atMs }) => atMs < startMs + 150).length).toBeLessThan(pages / 2);
    end.abort();
    await Promise.all(all);
  });
});

function guest(userId: string): Visitor {
  return {
    userId,
    workspaceId: userId,
    workspaceName: userId,
    appId: "own",
    kind: "anonymous",
    role: "guest",
    credentialId: userId,
  };
}
