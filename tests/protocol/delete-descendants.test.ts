import { describe, expect } from "vitest";
import type { Change, LiveMessage } from "#contract/changes.ts";
import { newId } from "#contract/ids.ts";
import type { Frame } from "../support/clients/event-stream.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { seedLongThread } from "../support/data/seed.ts";
import { describeServer, test } from "../support/servers/server.ts";
import {
  branchOf,
  startRun,
  sendAndWait,
  waitForFirstWord,
  readWholeLog,
} from "../support/clients/conversation.ts";
import { type Visitor } from "../support/clients/visitor.ts";

const now = () => new Date().toISOString();

const changesOf = (frames: Frame<LiveMessage>[]): Change[] =>
  frames.flatMap(({ data }) => (data.type === "change" ? [data.change] : []));

describeServer("deleting messages and everything below them", { model: true }, (server) => {
  async function newThread(who: Visitor): Promise<{ thread_id: string }> {
    return await who.call("threads.create", { body: { last_message_at: now() } });
  }

  async function add(who: Visitor, threadId: string, parent_id: string | null): Promise<string> {
    const body = { parent_id, format: "aui/v0", content: { role: "user", content: [] } };
    return (await who.call("messages.add", { params: { thread_id: threadId }, body })).message_id;
  }

  const remove = async (who: Visitor, threadId: string, message_ids: string[]) =>
    await who.ask("messages.remove", {
      params: { thread_id: threadId },
      query: { descendants: true },
      body: { message_ids },
    });

  async function idsOf(who: Visitor, threadId: string): Promise<string[]> {
    return (await who.call("messages.list", { params: { thread_id: threadId } })).messages.map(
      ({ id }) => id,
    );
  }

  test("deletes everything below and keeps the rest", async ({ ada }) => {
    const { thread_id } = await newThread(ada);
    const root = await add(ada, thread_id, null);
    const left = await add(ada, thread_id, root);
    const right = await add(ada, thread_id, root);
    const below = await add(ada, thread_id, left);
    await add(ada, thread_id, below);
    await add(ada, thread_id, below);
    const answer = await remove(ada, thread_id, [left]);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({});
    expect(await idsOf(ada, thread_id)).toEqual([right, root]);
    // A message below another deleted one may be named as well.
    const again = await add(ada, thread_id, right);
    expect((await remove(ada, thread_id, [again, right])).status).toBe(200);
    expect(await idsOf(ada, thread_id)).toEqual([root]);
    expect((await remove(ada, thread_id, [root])).status).toBe(200);
    expect(await idsOf(ada, thread_id)).toEqual([]);
  });

  test("deletes those that exist, and returns an error if none does", async ({ ada }) => {
    const { thread_id } = await newThread(ada);
    const one = await add(ada, thread_id, null);
    const other = await add(ada, (await newThread(ada)).thread_id, null);
    expect((await remove(ada, thread_id, [one, one, other, newId("message"), "nonsense"])).status).toBe(200);
    const again = await remove(ada, thread_id, [one]);
    expectProblem(again, "messages-not-found");
    expect(JSON.parse(again.text)).toMatchObject({ error: "Messages not found" });
  });

  test("deletes nothing in another thread, or for a stranger or guest", async ({ ada }) => {
    const here = await newThread(ada);
    const there = await newThread(ada);
    const id = await add(ada, there.thread_id, null);
    expectProblem(await remove(ada, here.thread_id, [id]), "messages-not-found");
    expectProblem(await remove(ada, here.thread_id, [newId("message"), "x"]), "messages-not-found");
    expectProblem(await remove(ada, newId("thread"), [id]), "thread-not-found");
    expectProblem(await remove(server().inNewWorkspace(), there.thread_id, [id]), "thread-not-found");
    expectProblem(await remove(server().guest, there.thread_id, [id]), "not-signed-in");
    expect(await idsOf(ada, there.thread_id)).toEqual([id]);
    await ada.call("threads.remove", { params: there });
    expectProblem(await remove(ada, there.thread_id, [id]), "thread-not-found");
  });

  test("requires one to two hundred ids", async ({ ada }) => {
    const { thread_id } = await newThread(ada);
    const id = await add(ada, thread_id, null);
    const many = (count: number) => [id, ...Array.from({ length: count - 1 }, () => newId("message"))];
    for (const message_ids of [[], many(201), [7], [""], "x", undefined]) {
      await ada.fails("bad-request", "messages.remove", {
        params: { thread_id },
        body: { message_ids } as never,
      });
    }
    expect((await remove(ada, thread_id, many(200))).status).toBe(200);
  });

  test("shows each user the rest of their visible branch", async ({ ada, ben }) => {
    const { thread_id } = await newThread(ada);
    const root = await add(ada, thread_id, null);
    const a = await add(ada, thread_id, root);
    const a1 = await add(ada, thread_id, a);
    const a2 = await add(ada, thread_id, a1);
    const b = await add(ada, thread_id, root);
    const b1 = await add(ada, thread_id, b);
    const elsewhere = await add(ada, thread_id, null);
    await ada.call("messages.setHead", { params: { thread_id }, body: { message_id: a2 } });
    await ben.call("messages.setHead", { params: { thread_id }, body: { message_id: elsewhere } });
    const headOf = async (who: Visitor) =>
      (await who.call("messages.branch", { params: { thread_id } })).head_id;

    const tab = await ada.live();
    await tab.next();
    await remove(ada, thread_id, [a2]);
    expect(await headOf(ada)).toBe(a1);
    await remove(ada, thread_id, [a]);
    // The visible branch is deleted up to the root; the other branch continues from there.
    expect(await headOf(ada)).toBe(b1);
    expect(await headOf(ben)).toBe(elsewhere);
    await remove(ada, thread_id, [root]);
    expect(await headOf(ada)).toBe(elsewhere);
    await remove(ada, thread_id, [elsewhere]);
    expect(await headOf(ada)).toBeNull();

    const { user_id } = await ada.call("auth.me");
    const changes = changesOf(
      await tab.until(
        ({ data }) =>
          data.type === "change" &&
          data.change.type === "messages-gone" &&
          data.change.message_ids.includes(elsewhere),
      ),
    );
    tab.close();
    expect(changes).toEqual([
      { type: "messages-gone", thread_id, message_ids: [a2] },
      { type: "head-put", thread_id, user_id, message_id: a1 },
      { type: "messages-gone", thread_id, message_ids: [a, a1] },
      { type: "head-put", thread_id, user_id, message_id: b1 },
      { type: "messages-gone", thread_id, message_ids: expect.arrayContaining([root, b, b1]) as string[] },
      { type: "messages-gone", thread_id, message_ids: [elsewhere] },
    ]);
  });

  test("does not move the thread in its list", async ({ ada }) => {
    const { thread_id } = await newThread(ada);
    const id = await add(ada, thread_id, null);
    const before = (await ada.call("threads.get", { params: { thread_id } })).thread;
    await remove(ada, thread_id, [id]);
    expect((await ada.call("threads.get", { params: { thread_id } })).thread).toEqual(before);
  });

  describe("while an answer is running", () => {
    test.for(["the reply", "the question"])("stops it: %s", async (which, { ada }) => {
      const talk = await startRun(ada, `Deleted with ${which}\nendless gap=5`);
      const { stream } = await waitForFirstWord(ada, talk.run_id);
      await remove(ada, talk.thread_id, [which === "the reply" ? talk.reply_id : talk.message_id]);
      expect((await stream.rest()).at(-1)?.data).toMatchObject({ type: "run-end", state: "cancelled" });
      const [request] = await server().requestsWith(`Deleted with ${which}`);
      await request?.end;
      expect(request?.ended).toBe("gone");
      expect((await ada.call("runs.get", { params: { run_id: talk.run_id } })).run.state).toBe("cancelled");
      expect(await idsOf(ada, talk.thread_id)).toEqual(which === "the reply" ? [talk.message_id] : []);
      const { thread } = await ada.call("threads.get", { params: { thread_id: talk.thread_id } });
      expect(thread.active_run_id).toBeNull();
      if (which === "the reply") {
        const again = await ada.call("runs.start", {
          params: { thread_id: talk.thread_id },
          body: { parent_id: talk.message_id },
        });
        await ada.call("runs.stop", { params: { run_id: again.run_id } });
      }
    });

    test("does not stop the answer of another branch", async ({ ada }) => {
      const first = await sendAndWait(ada, "tokens=2");
      const other = await startRun(ada, "tokens=20 gap=10", { thread_id: first.thread_id, parent_id: null });
      await waitForFirstWord(ada, other.run_id);
      await remove(ada, first.thread_id, [first.message_id]);
      expect((await readWholeLog(ada, other.run_id)).at(-1)).toMatchObject({ state: "completed" });
      expect((await branchOf(ada, first.thread_id)).map(({ id }) => id)).toEqual([
        other.message_id,
        other.reply_id,
      ]);
    });

    test("and adding below concurrently never leaves a message without its parent", async ({ ada }) => {
      const { thread_id } = await newThread(ada);
      for (let round = 0; round < 5; round++) {
        const root = await add(ada, thread_id, null);
        const body = { parent_id: root, format: "aui/v0", content: { role: "user", content: [] } };
        const adding = Array.from(
          { length: 10 },
          async () => await ada.ask("messages.add", { params: { thread_id }, body }),
        );
        const removing = remove(ada, thread_id, [root]);
        for (const answer of await Promise.all(adding))
          if (answer.status !== 201) expectProblem(answer, "parent-not-in-thread");
        expect((await removing).status).toBe(200);
        expect(await idsOf(ada, thread_id)).toEqual([]);
      }
    });
  });

  test("allows a client's own id to be stored again", async ({ ada }) => {
    const first = await sendAndWait(ada, "tokens=2");
    const params = { thread_id: first.thread_id };
    const id = newId("message");
    for (let round = 0; round < 2; round++) {
      const { run_id } = await ada.call("runs.start", {
        params,
        body: {
          message: {
            id,
            parent_id: first.reply_id,
            content: { role: "user", content: [{ type: "text", text: `tokens=${round + 2}` }] },
          },
        },
      });
      await readWholeLog(ada, run_id);
      expect((await remove(ada, first.thread_id, [id])).status).toBe(200);
    }
    expect(await idsOf(ada, first.thread_id)).toEqual([first.reply_id, first.message_id]);
  });
});

let long: Awaited<ReturnType<typeof seedLongThread>>;

describeServer(
  "deleting a long branch",
  { seed: async (place) => (long = await seedLongThread(place, "org_long", 5_000)) },
  (server) => {
    test("deletes all of its thousands of levels", async () => {
      const ada = server().inWorkspace("org_long");
      const params = { thread_id: long.threadId };
      const query = { descendants: true };
      const [root, , third] = long.messageIds;
      expect((await ada.call("messages.branch", { params })).head_id).toBe(long.messageIds.at(-1));
      await ada.call("messages.remove", { params, query, body: { message_ids: [third!] } });
      expect((await ada.call("messages.branch", { params })).messages.map(({ id }) => id)).toEqual(
        long.messageIds.slice(0, 2),
      );
      await ada.call("messages.remove", { params, query, body: { message_ids: [root!] } });
      expect((await ada.call("messages.list", { params })).messages).toEqual([]);
    });
  },
);
