import { describe, expect } from "vitest";
import type { Change, LiveMessage } from "#contract/changes.ts";
import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import type { Frame } from "../support/clients/event-stream.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test, type TestServer } from "../support/servers/server.ts";
import {
  branchOf,
  startRun,
  sendAndWait,
  waitForFirstWord,
  readWholeLog,
  below,
} from "../support/clients/conversation.ts";
import { bearer, newAddress, signUp, visitor, type Visitor } from "../support/clients/visitor.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { clients, keyCloud } from "./clients.ts";

const now = () => new Date().toISOString();

/** An anonymous visitor, and the token that their threads can be claimed with. */
async function anonymousVisitor(server: TestServer): Promise<Visitor & { token: string }> {
  const { access_token, refresh_token } = await signUp(server.url);
  return {
    ...visitor(server.url, "dan", { ...bearer(access_token), ...newAddress() }),
    token: refresh_token.token,
  };
}

const claim = async (who: Visitor, refresh_token: string) =>
  await who.ask("threads.claim", { body: { refresh_token } });

const titles = async (who: Visitor, query: Record<string, string> = {}) =>
  (await who.call("threads.list", { query })).threads.map(({ title }) => title);

const changesOf = (frames: Frame<LiveMessage>[]): Change[] =>
  frames.flatMap(({ data }) => (data.type === "change" ? [data.change] : []));

describeServer("claiming threads", { model: true }, (server) => {
  /** Creates three threads: one in use, one archived and one in the trash. */
  async function createThreads(dan: Visitor): Promise<string[]> {
    const ids = [];
    for (const title of ["In use", "Archived", "In the trash"]) {
      ids.push(
        (await dan.call("threads.create", { body: { last_message_at: now(), title, external_id: "own" } }))
          .thread_id,
      );
    }
    await dan.call("threads.update", { params: { thread_id: ids[1]! }, body: { is_archived: true } });
    await dan.call("threads.remove", { params: { thread_id: ids[2]! } });
    return ids;
  }

  describe("by", () => {
    const callers: Record<string, () => Promise<Visitor>> = {
      "an API key": () => Promise.resolve(server().inNewWorkspace()),
      "a minted token": async () => {
        const ada = server().inNewWorkspace();
        return server().withToken((await ada.call("auth.mint")).token);
      },
      "the owner": async () => {
        const owner_secret = server().ownerLink.split("#")[1]!;
        const headers = { "Parlance-Client": "web", ...newAddress() };
        const answer = await server().guest.ask("auth.openSession", { body: { owner_secret }, headers });
        return visitor(server().url, "owner", {
          ...headers,
          Cookie: answer.headers.get("set-cookie")!.split(";")[0]!,
        });
      },
    };

    test.for(Object.entries(callers))(
      "%s moves all of them, and none the second time",
      async ([, makeCaller]) => {
        const caller = await makeCaller();
        const dan = await anonymousVisitor(server());
        const [inUse, archived, trashed] = await createThreads(dan);
        const { message_id } = await dan.call("messages.add", {
          params: { thread_id: inUse! },
          body: {
            parent_id: null,
            format: "aui/v0",
            content: { role: "user", content: [{ type: "text", text: "Mine" }] },
          },
        });
        const before = (await dan.call("threads.get", { params: { thread_id: inUse! } })).thread;
        const messages = await dan.call("messages.list", { params: { thread_id: inUse! } });

        expect((await claim(caller, dan.token)).body).toEqual({ moved: 2 });

        const { thread } = await caller.call("threads.get", { params: { thread_id: inUse! } });
        const { workspace_id } = await caller.call("auth.me");
        expect(thread).toEqual({ ...before, workspace_id });
        expect(await caller.call("messages.list", { params: { thread_id: inUse! } })).toEqual(messages);
        expect(messages.messages.map(({ id }) => id)).toEqual([message_id]);
        expect(await titles(caller, { external_id: "own" })).toContain("In use");
        expect(await titles(caller, { is_archived: "true" })).toContain("Archived");
        expect(
          (await caller.call("threads.get", { params: { thread_id: archived! } })).thread.is_archived,
        ).toBe(true);
        await caller.fails("thread-not-found", "threads.get", { params: { thread_id: trashed! } });
        await caller.call("threads.restore", { params: { thread_id: trashed! } });
        expect(await titles(caller)).toContain("In the trash");

        expect(await titles(dan)).toEqual([]);
        expect(await titles(dan, { is_archived: "true" })).toEqual([]);
        for (const thread_id of [inUse!, archived!, trashed!]) {
          await dan.fails("thread-not-found", "threads.get", { params: { thread_id } });
          await dan.fails("thread-not-found", "threads.restore", { params: { thread_id } });
        }
        expect((await claim(caller, dan.token)).body).toEqual({ moved: 0 });
      },
    );
  });

  test.for(clients.slice(0, 1))("by %s", async ([, client]) => {
    const dan = await anonymousVisitor(server());
    await createThreads(dan);
    const cloud = keyCloud(client, server());
    expect(await cloud.threads.claim({ refresh_token: dan.token })).toEqual({ moved: 2 });
    expect((await cloud.threads.list()).threads.map(({ title }) => title)).toEqual(["In use"]);
    expect(await cloud.threads.claim({ refresh_token: dan.token })).toEqual({ moved: 0 });
  });

  test("keeps the visitor's account: they can continue, and be claimed again", async ({ ada }) => {
    const dan = await anonymousVisitor(server());
    await createThreads(dan);
    await claim(ada, dan.token);
    const again = await server().guest.call("auth.refresh", {
      body: { refresh_token: dan.token },
      headers: newAddress(),
    });
    const same = server().withToken(again.access_token);
    expect(await same.call("auth.me")).toEqual(await dan.call("auth.me"));
    await same.call("threads.create", { body: { last_message_at: now(), title: "Later" } });
    expect((await claim(ada, dan.token)).body).toEqual({ moved: 1 });
    expect(await titles(ada)).toEqual(["Later", "In use"]);
  });

  test("is refused to anonymous visitors, whatever the token", async () => {
    const dan = await anonymousVisitor(server());
    const eve = await anonymousVisitor(server());
    await createThreads(dan);
    for (const token of [dan.token, eve.token, "refresh_0nobodys"]) {
      const answer = await claim(eve, token);
      expectProblem(answer, "anonymous-cannot-claim");
      expect(JSON.parse(answer.text)).toMatchObject({ error: "Anonymous sessions cannot claim threads" });
    }
    expect(await titles(dan)).toEqual(["In use"]);
  });

  test("requires a valid token of an anonymous visitor", async ({ ada }) => {
    const dan = await anonymousVisitor(server());
    const own = { "Parlance-Client": "web", ...newAddress() };
    const owner = await server().guest.ask("auth.openSession", {
      body: { owner_secret: server().ownerLink.split("#")[1]! },
      headers: own,
    });
    const ownersToken = /=(session_0\w+);/.exec(owner.headers.get("set-cookie")!)![1]!;
    for (const token of [
      "refresh_0nobodys",
      "nonsense",
      "sk_aui_proj_x",
      `${dan.token}x`,
      dan.token.slice(0, -1),
      "\u0000",
      ownersToken,
    ]) {
      const answer = await claim(ada, token);
      expectProblem(answer, "invalid-refresh-token");
      expect(JSON.parse(answer.text)).toMatchObject({ error: "Invalid refresh token" });
    }
    expectProblem(await claim(ada, ""), "bad-request");
    await ada.fails("bad-request", "threads.claim", { body: {} as never });
  });

  test("moves the visible branch, feedback, scores and runs", async ({ ada, ben }) => {
    const dan = await anonymousVisitor(server());
    const first = await sendAndWait(dan, "tokens=2");
    const params = { thread_id: first.thread_id };
    await sendAndWait(dan, "tokens=2", { thread_id: first.thread_id, parent_id: null });
    await dan.call("messages.setHead", { params, body: { message_id: first.reply_id } });
    const rated = { ...params, message_id: first.reply_id };
    const { feedback_id } = await dan.call("messages.feedback", {
      params: rated,
      body: { type: "positive", comment: "Good" },
    });
    await dan.call("scores.put", {
      body: { run_id: first.run_id, name: "speed", data_type: "numeric", value: 2 },
    });
    await claim(ada, dan.token);
    expect((await ada.call("messages.branch", { params })).head_id).toBe(first.reply_id);
    expect((await ben.call("messages.branch", { params })).head_id).not.toBe(first.reply_id);
    // The score is Ada's now, with its comment.
    expect(await ada.call("messages.feedback", { params: rated, body: { type: "positive" } })).toEqual({
      feedback_id,
      type: "positive",
      reason: null,
      comment: "Good",
    });
    const { scores } = await ada.call("apps.scores", { query: { run_id: first.run_id } });
    const { user_id } = await ada.call("auth.me");
    expect(scores).toMatchObject([{ name: "speed", value: 2, author_id: user_id }]);
    const run = await ada.call("apps.run", { params: { run_id: first.run_id } });
    expect(run.created_by).toBe(user_id);
    const strangers = await rawSql(
      server().place,
      async (query) =>
        await query(`select model_requests.id from model_requests join runs on runs.id = run_id
          where runs.thread_id = '${first.thread_id}' and
            (model_requests.user_id <> runs.user_id or model_requests.workspace_id <> runs.workspace_id)`),
    );
    expect(strangers).toEqual([]);
  });

  test("is published on the feeds of both sides", async ({ ada }) => {
    const dan = await anonymousVisitor(server());
    const ids = await createThreads(dan);
    const tabs = { ada: await ada.live(), dan: await dan.live() };
    for (const tab of Object.values(tabs)) await tab.next();
    await claim(ada, dan.token);
    const isLast = (count: number) => {
      let left = count;
      return () => --left === 0;
    };
    const added = changesOf(await tabs.ada.until(isLast(3)));
    const removed = changesOf(await tabs.dan.until(isLast(3)));
    const { workspace_id } = await ada.call("auth.me");
    expect(added.map((change) => (change.type === "thread-put" ? change.thread.id : "")).toSorted()).toEqual(
      ids.toSorted(),
    );
    for (const change of added)
      expect(change).toMatchObject({ type: "thread-put", thread: { workspace_id } });
    expect(removed.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual(
      ids.toSorted().map((thread_id) => ({ type: "thread-gone", thread_id })),
    );
    for (const tab of Object.values(tabs)) tab.close();
  });

  test("moves a running answer, which its new owner follows to the end", async ({ ada }) => {
    const dan = await anonymousVisitor(server());
    const talk = await startRun(dan, "Tell me a story tokens=40 gap=30");
    const { stream: dans } = await waitForFirstWord(dan, talk.run_id);
    const feed = await ada.live();
    await feed.next();
    expect((await claim(ada, dan.token)).body).toEqual({ moved: 1 });
    const { thread } = await ada.call("threads.get", { params: { thread_id: talk.thread_id } });
    expect(thread.active_run_id).toBe(talk.run_id);
    await dan.fails("run-not-found", "runs.get", { params: { run_id: talk.run_id } });
    await dan.fails("run-not-found", "runs.stop", { params: { run_id: talk.run_id } });
    const events = await readWholeLog(ada, talk.run_id);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    // The earlier owner's stream ends before the run does.
    expect((await dans.rest()).map(({ data }) => data.type)).not.toContain("run-end");
    expect((await branchOf(ada, talk.thread_id)).at(-1)).toMatchObject({
      id: talk.reply_id,
      content: { content: fold(events).parts },
      status: { type: "complete" },
    });
    const changes = changesOf(
      await feed.until(({ data }) => data.type === "change" && data.change.type === "run-put"),
    );
    expect(changes.at(-1)).toMatchObject({ type: "run-put", run_id: talk.run_id, state: "completed" });
    feed.close();
    await expect
      .poll(async () => (await ada.call("threads.get", { params: { thread_id: talk.thread_id } })).thread)
      .toMatchObject({ title_source: "model", active_run_id: null });
  });

  test("lets the new owner stop a running answer", async ({ ada }) => {
    const dan = await anonymousVisitor(server());
    const talk = await startRun(dan, "endless gap=5");
    await waitForFirstWord(dan, talk.run_id);
    await claim(ada, dan.token);
    expect((await ada.call("runs.stop", { params: { run_id: talk.run_id } })).run.state).toBe("cancelled");
    expect((await readWholeLog(ada, talk.run_id)).at(-1)).toMatchObject({ state: "cancelled" });
    expect((await branchOf(ada, talk.thread_id)).at(-1)?.status).toMatchObject({
      type: "incomplete",
      reason: "cancelled",
    });
    const going = await sendAndWait(ada, "And on tokens=2", below(talk));
    expect(going.reply.end?.state).toBe("completed");
  });

  test("by two callers concurrently gives each thread to one of them", async () => {
    const dan = await anonymousVisitor(server());
    const ids: string[] = [];
    for (let index = 0; index < 10; index++)
      ids.push((await dan.call("threads.create", { body: { last_message_at: now() } })).thread_id);
    const callers = [server().inNewWorkspace("ada"), server().inNewWorkspace("ben")];
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => await claim(callers[index % 2]!, dan.token)),
    );
    expect(answers.reduce((sum, { body }) => sum + body.moved, 0)).toBe(10);
    const lists = await Promise.all(
      callers.map(async (who) => (await who.call("threads.list")).threads.map(({ id }) => id)),
    );
    expect(lists.flat().toSorted()).toEqual(ids.toSorted());
  });

  test("loses no acknowledged message of a visitor who continues to write", async ({ ada }) => {
    const dan = await anonymousVisitor(server());
    const { thread_id } = await dan.call("threads.create", { body: { last_message_at: now() } });
    const params = { thread_id };
    const stored: string[] = [];
    let refused = 0;
    const writing = Array.from({ length: 40 }, async () => {
      const content = { role: "user", content: [] };
      const answer = await dan.ask("messages.add", {
        params,
        body: { parent_id: null, format: "aui/v0", content },
      });
      if (answer.status === 201) stored.push(answer.body.message_id);
      else {
        expectProblem(answer, "thread-not-found");
        refused += 1;
      }
    });
    const claimed = (async () => await claim(ada, dan.token))();
    await Promise.all([...writing, claimed]);
    expect(stored.length + refused).toBe(40);
    expect((await ada.call("messages.list", { params })).messages.map(({ id }) => id).toSorted()).toEqual(
      stored.toSorted(),
    );
    expect(await titles(dan)).toEqual([]);
  });

  test("moves hundreds of threads in one request", async ({ ada }) => {
    const dan = await anonymousVisitor(server());
    for (let from = 0; from < 300; from += 50) {
      await Promise.all(
        Array.from(
          { length: 50 },
          async () =>
            await dan.call("threads.create", { body: { id: newId("thread"), last_message_at: now() } }),
        ),
      );
    }
    expect((await claim(ada, dan.token)).body).toEqual({ moved: 300 });
    expect((await ada.call("threads.list", { query: { limit: 100 } })).threads).toHaveLength(100);
  });
});
