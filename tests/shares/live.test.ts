import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { createOwner, join, type Browser } from "../support/clients/browser.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer, newPlace, startTestServer } from "../support/servers/server.ts";
import { ask, createReader, followLive, idOf, loadMs, loadPages, share } from "./sharing.ts";

describeServer("a live view", { model: true }, (server) => {
  let owner: Browser;
  let ada: Browser;
  beforeAll(async () => {
    await loadPages(server().url);
    owner = await createOwner(server());
    ada = await join(owner, { email: "ada@example.com" });
  }, loadMs);

  test("shows later messages and their answers while they are written", async () => {
    const first = await ask(ada, "Who is first?");
    const { path } = await share(ada, first.threadId, { is_live: true });
    const page = await createReader(server().url).open(path);
    expect(page.text).toContain(`data-live="${path}/live"`);
    expect(page.headers.get("content-security-policy")).toMatch(/script-src 'sha256-[^']+';/);
    const stream = await followLive(server().url, path);
    const [hello] = await stream.until(() => true);
    expect(hello!.data.order).toEqual([first.messageId, first.replyId]);
    const started = await ada.call("runs.start", {
      params: { thread_id: first.threadId },
      body: { message: { parent_id: first.replyId, content: userMessage("Who is second?\nendless gap=10") } },
    });
    const replyIn = ({ data }: { data: { changed: Record<string, string> } }) =>
      data.changed[started.reply_id]?.includes("<p") === true;
    const seen = await stream.until(replyIn);
    expect(seen.at(-1)!.data.order).toEqual([
      first.messageId,
      first.replyId,
      started.message_id,
      started.reply_id,
    ]);
    expect(JSON.stringify(seen)).toContain("Who is second?");
    // Only what is new is sent again.
    for (const { data } of seen) expect(Object.keys(data.changed)).not.toContain(first.replyId);
    await ada.call("runs.stop", { params: { run_id: started.run_id } });
    stream.close();
  });

  const ends: Record<string, (link: { id: string; threadId: string; ben: Browser }) => Promise<unknown>> = {
    "it is revoked": async ({ id, ben }) => await ben.call("shares.revoke", { params: { share_id: id } }),
    "its thread is deleted": async ({ threadId, ben }) =>
      await ben.call("threads.remove", { params: { thread_id: threadId } }),
    "its password is changed": async ({ id, ben }) =>
      await ben.call("shares.update", { params: { share_id: id }, body: { password: "another one" } }),
    "it expires": async () => {
      server().clock.advance(3_600_001);
      await Promise.resolve();
    },
    "its person is suspended": async ({ ben }) => {
      const params = { person_id: await idOf(ben) };
      await owner.call("people.update", { params, body: { is_suspended: true } });
    },
    "its person deletes their account": async ({ ben }) => await ben.call("accounts.remove"),
    "its person's account is deleted after an export": async ({ ben }) =>
      await owner.call("people.remove", {
        params: { person_id: await idOf(ben) },
        query: { after_export: true },
      }),
  };
  test.for(Object.entries(ends))("ends at once when %s", async ([when, end]) => {
    const ben = await join(owner, { email: `${when.replaceAll(/\W+/g, "-")}@example.com` });
    const { threadId } = await ask(ben, "How does it end?");
    const expiry = new Date(server().clock.now() + 3_600_000).toISOString();
    const { id, path } = await share(ben, threadId, { is_live: true, expires_at: expiry });
    const stream = await followLive(server().url, path);
    await stream.until(() => true);
    await end({ id, threadId, ben });
    await stream.rest();
    await expect(followLive(server().url, path)).rejects.toThrow(/404|401/);
  });
});

describe.runIf(engines.includes("postgres"))("a live view in another process", () => {
  test("ends at once when its link is revoked", async () => {
    const place = await newPlace("postgres");
    const [one, other] = await Promise.all(
      [0, 1].map(async () => await startTestServer({ engine: "postgres", place })),
    );
    try {
      const owner = await createOwner(one!);
      const threadId = newId("thread");
      await ask(owner, "Here and there?", { threadId });
      const { id, path } = await share(owner, threadId, { is_live: true });
      const stream = await followLive(other!.url, path);
      await stream.until(() => true);
      await owner.call("shares.revoke", { params: { share_id: id } });
      await stream.rest();
      expect((await createReader(other!.url).open(path)).status).toBe(404);
    } finally {
      await one!.close();
      await other!.close();
      await place.remove();
    }
  });
});
