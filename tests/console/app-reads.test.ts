import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import { ownedObjectsOf } from "../endpoints/owned-objects.ts";
import { createOwner, join, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { bearer, keyHeaders, visitor, type Visitor } from "../support/clients/visitor.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("what the console shows of an app", { model: true }, (server) => {
  let owner: Browser;
  let admin: Browser;
  let params: { app_id: string };
  let key: string;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    admin = await join(owner, { email: "admin@example.com", role: "admin" });
    params = await admin.call("console.createApp", { body: { name: "shop" } });
    ({ key } = await admin.call("console.createKey", { params, body: { name: "shop" } }));
  });
  const user = (userId: string, workspaceId = userId): Visitor =>
    visitor(server().url, userId, keyHeaders(key, { userId, workspaceId }));

  test("is its threads, messages, runs with their trace, scores, errors and usage", async () => {
    const ada = await ownedObjectsOf(user("ada"));
    await user("ada").call("scores.put", {
      body: { run_id: ada.run_id, name: "quality", data_type: "numeric", value: 0.5 },
    });
    await user("ada").call("messages.feedback", {
      params: { thread_id: ada.thread_id, message_id: ada.reply_id },
      body: { type: "negative", reason: "not-correct", comment: "It is Tuesday." },
    });
    const failing = await user("ben").call("runs.start", {
      params: { thread_id: newId("thread") },
      body: { message: { parent_id: null, content: userMessage("status=400") } },
    });
    await (await user("ben").events(failing.run_id)).until(({ data }) => data.type === "run-end");

    const { threads } = await admin.call("console.threads", { params, query: { created_by: "ada" } });
    expect(threads).toMatchObject([{ id: ada.thread_id, workspace_id: "ada" }]);
    const thread = { ...params, thread_id: ada.thread_id };
    const { messages } = await admin.call("console.messages", { params: thread });
    expect(messages.map(({ id }) => id)).toEqual([ada.reply_id, ada.message_id]);

    const failed = await admin.call("console.runs", { params, query: { status: "error" } });
    expect(failed.runs.map(({ id }) => id)).toEqual([failing.run_id]);
    expect(failed.runs[0]!.error_code).not.toBeNull();
    const first = await admin.call("console.runs", { params, query: { limit: "1" } });
    const second = await admin.call("console.runs", {
      params,
      query: { limit: "1", cursor: first.next_cursor! },
    });
    expect([first, second].map(({ runs }) => runs[0]!.id)).toEqual([failing.run_id, ada.run_id]);
    const run = await admin.call("console.run", { params: { ...params, run_id: ada.run_id } });
    expect(run).toMatchObject({ thread_id: ada.thread_id, created_by: "ada", status: "completed" });
    expect(run.spans).toBeInstanceOf(Array);

    const feedback = await admin.call("console.scores", { params, query: { name: "feedback" } });
    expect(feedback.scores).toMatchObject([
      { message_id: ada.reply_id, value: 0, string_value: "not-correct", comment: "It is Tuesday." },
    ]);
    const { scores } = await admin.call("console.scores", { params });
    expect(scores.map(({ name }) => name).toSorted()).toEqual(["feedback", "quality"]);
    const { days } = await admin.call("console.usage", { params });
    expect(days.at(-1)).toMatchObject({ runs: 2, errors: 1 });
    expect(days.at(-1)!.output_tokens).toBeGreaterThan(0);
  });

  test("is its users, the last active first, found by their id, page by page", async () => {
    const app = await admin.call("console.createApp", { body: { name: "users" } });
    const made = await admin.call("console.createKey", { params: app, body: { name: "users" } });
    const who = (userId: string): Visitor =>
      visitor(server().url, userId, keyHeaders(made.key, { userId, workspaceId: "team" }));
    await ownedObjectsOf(who("zoe_1"));
    await who("yan%1").call("threads.create", {
      body: { last_message_at: new Date(Date.now() + 60_000).toISOString() },
    });
    const gone = await who("xia").call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    await who("xia").call("threads.remove", { params: { thread_id: gone.thread_id } });
    const list = async (query: Record<string, string>) =>
      await admin.call("console.users", { params: app, query });
    const all = await list({});
    expect(all).toMatchObject({
      users: [
        { id: "yan%1", threads: 1, runs: 0 },
        { id: "zoe_1", threads: 1, runs: 1 },
      ],
      next: null,
    });
    const first = await list({ limit: "1" });
    expect(first.users).toEqual(all.users.slice(0, 1));
    expect(await list({ limit: "1", cursor: first.next! })).toEqual({
      users: all.users.slice(1),
      next: null,
    });
    expect((await list({ search: "%" })).users.map(({ id }) => id)).toEqual(["yan%1"]);
    expect((await list({ search: "oe_" })).users.map(({ id }) => id)).toEqual(["zoe_1"]);
    for (const cursor of ["x", Buffer.from("[1]").toString("base64url")])
      await admin.fails("bad-cursor", "console.users", { params: app, query: { cursor } });
  });

  test("has nothing of another app, whose ids are answered like unknown ones", async () => {
    const ada = await ownedObjectsOf(user("ada"));
    const other = await admin.call("console.createApp", { body: { name: "another" } });
    const thread = { ...other, thread_id: ada.thread_id };
    expect(await admin.call("console.messages", { params: thread })).toEqual({ messages: [] });
    await admin.fails("run-not-found", "console.run", { params: { ...other, run_id: ada.run_id } });
    expect(await admin.call("console.users", { params: other })).toEqual({ users: [], next: null });
  });

  describe("Administrators cannot read members’ threads", () => {
    /** Everything that reads an app, as an administrator and with a key of the first app. */
    async function readEverything(): Promise<string> {
      const { apps } = await admin.call("console.apps");
      const first = { app_id: apps[0]!.id };
      const made = await admin.call("console.createKey", { params: first, body: { name: "curious" } });
      const texts = [];
      for (const limit of ["100"]) {
        texts.push(
          await admin.call("console.threads", { params: first, query: { limit } }),
          await admin.call("console.threads", { params: first, query: { limit, is_archived: "true" } }),
          await admin.call("console.users", { params: first, query: { limit } }),
          await admin.call("console.runs", { params: first, query: { limit } }),
          await admin.call("console.scores", { params: first, query: { limit } }),
        );
        for (const which of [made.key, apiKey]) {
          const backend = visitor(server().url, "backend", bearer(which));
          texts.push(
            await backend.call("apps.threads", { query: { limit } }),
            await backend.call("apps.runs", { query: { limit } }),
            await backend.call("apps.scores", { query: { limit } }),
          );
        }
      }
      return JSON.stringify(texts);
    }

    test("not in the console, and not with a key that they create there", async () => {
      const member = await join(owner, { email: "member@example.com" });
      const guest = await server().anonymous("gil");
      const theirs = await ownedObjectsOf(guest);
      for (const who of [member, owner]) {
        const mine = await ownedObjectsOf(who);
        const { user_id, workspace_id } = await who.call("auth.me");
        await who.call("messages.feedback", {
          params: { thread_id: mine.thread_id, message_id: mine.reply_id },
          body: { type: "positive" },
        });
        const seen = await readEverything();
        for (const secret of [mine.thread_id, mine.message_id, mine.reply_id, mine.run_id, user_id])
          expect(seen).not.toContain(secret);
        // Guests have no account: their threads are those of an app.
        expect(seen).toContain(theirs.thread_id);

        const { apps } = await admin.call("console.apps");
        const first = { app_id: apps[0]!.id };
        const thread = { ...first, thread_id: mine.thread_id };
        expect(await admin.call("console.messages", { params: thread })).toEqual({ messages: [] });
        await admin.fails("run-not-found", "console.run", { params: { ...first, run_id: mine.run_id } });
        const made = await admin.call("console.createKey", { params: first, body: { name: "posing" } });
        const withKey = (userId: string) =>
          visitor(server().url, "posing", keyHeaders(made.key, { userId, workspaceId: workspace_id }));
        await withKey(user_id).fails("user-id-of-account", "threads.list");
        const posing = withKey("posing");
        expect((await posing.call("threads.list")).threads).toEqual([]);
        await posing.fails("thread-not-found", "threads.get", { params: { thread_id: mine.thread_id } });
      }
    });
  });
});
