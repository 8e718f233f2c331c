import { expect, test, vi } from "vitest";
import type { Database, Tx } from "#storage/database/database.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { addThread } from "#storage/testing/rows.ts";
import type { Visitor } from "../../lib/route.ts";
import { createThreadAccess } from "./thread-access.ts";

/** Each with their own workspace, in the app of the thread `garden`. */
const people = ["ada", "ben", "cleo"];

async function addPeople(tx: Tx): Promise<void> {
  await addThread(tx, "garden");
  for (const id of people) {
    const workspace = { id: `${id}'s`, app_id: "garden", realm: "own" as const, name: id, created_at: 0 };
    await tx.q.insertInto("workspaces").values(workspace).execute();
    const user = { id, kind: "member" as const, workspace_id: `${id}'s`, created_at: 0, last_seen_at: 0 };
    await tx.q.insertInto("users").values(user).execute();
  }
}

async function share(tx: Tx, userId: string): Promise<void> {
  const member = { thread_id: "garden", member_id: userId, user_id: userId, group_id: null };
  await tx.q
    .insertInto("thread_members")
    .values({ ...member, access: "read", added_at: 0 })
    .execute();
}

async function unshare(tx: Tx, userId: string): Promise<void> {
  await tx.q.deleteFrom("thread_members").where("member_id", "=", userId).execute();
}

const visitorOf = (userId: string): Visitor => ({
  userId,
  kind: "member",
  role: "member",
  appId: "garden",
  workspaceId: `${userId}'s`,
  workspaceName: userId,
  credentialId: "",
  isInWebApp: true,
});

function withCount(db: Database): { db: Database; statements: () => number } {
  let count = 0;
  const read = db.read.withPlugin({
    transformQuery({ node }) {
      count++;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  return { db: { ...db, read }, statements: () => count };
}

describeEveryEngine("the streams of members", (open) => {
  test("are checked with one query for all, and end for those who may no longer read", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const { db, statements } = withCount(await open());
      await db.write(async (tx) => {
        await addPeople(tx);
        for (const id of people) await share(tx, id);
      });
      const access = createThreadAccess({ db });
      const streams = people.flatMap((id) =>
        [1, 2].map(() => {
          const lost = new AbortController();
          const one = (async function* () {
            yield 1;
          })();
          return { id, lost, events: access.whileShared(visitorOf(id), "garden", one, lost) };
        }),
      );
      const timers = vi.getTimerCount();
      for (const { events } of streams) await events.next();
      const before = statements();
      vi.advanceTimersByTime(900);
      await vi.waitFor(() => expect(statements() - before).toBe(1));
      // Not published.
      await db.write(async (tx) => await unshare(tx, "ben"));
      const after = () => streams.filter(({ lost }) => lost.signal.aborted).map(({ id }) => id);
      await vi.waitFor(() => {
        vi.advanceTimersByTime(900);
        expect(after()).toEqual(["ben", "ben"]);
      });
      for (const { events } of streams) await events.next();
      expect(vi.getTimerCount(), "asks no more without streams").toBe(timers);
    } finally {
      vi.useRealTimers();
    }
  });
});
