import { describe, expect, vi } from "vitest";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { userMessage } from "#fixtures/people.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test, type TestServer } from "../support/servers/server.ts";
import {
  branchOf,
  eventsOf,
  startRun,
  sendAndWait,
  textOfMessage,
  readWholeLog,
  type StartedRun,
} from "../support/clients/conversation.ts";
import { signUp, type Visitor } from "../support/clients/visitor.ts";

const waitOptions = { timeout: 10_000, interval: 20 };

describeServer("a message during an answer", { model: true }, (server) => {
  test("is queued, and becomes a message when the answer ends", async ({ ada }) => {
    const talk = await startRun(ada, "Wait for me\nendless gap=10");
    const answer = await queue(ada, talk, "And then? tokens=3");
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({
      queued: {
        id: answer.body.message_id,
        thread_id: talk.thread_id,
        parent_id: talk.reply_id,
        run_id: answer.body.run_id,
        reply_id: answer.body.reply_id,
        content: userMessage("And then? tokens=3"),
        is_held: false,
      },
    });
    const params = { thread_id: talk.thread_id };
    expect((await ada.call("messages.list", { params })).messages.map(({ id }) => id)).toEqual([
      talk.reply_id,
      talk.message_id,
    ]);
    await ada.fails("run-not-found", "runs.get", { params: { run_id: answer.body.run_id } });
    expect(await queueOf(ada, talk)).toEqual([answer.body.queued]);

    await stop(ada, talk);
    await readWholeLog(ada, answer.body.run_id);
    expect((await branchOf(ada, talk.thread_id)).map(({ id }) => id)).toEqual([
      talk.message_id,
      talk.reply_id,
      answer.body.message_id,
      answer.body.reply_id,
    ]);
    expect(await queueOf(ada, talk)).toEqual([]);
  });

  test("is sent after the messages queued before it and their answers", async ({ ada }) => {
    const talk = await startRun(ada, "Zero gap=10 tokens=30");
    const queued = [];
    for (const word of ["One", "Two", "Three"])
      queued.push((await queue(ada, talk, `${word} tokens=3`)).body);
    for (const { run_id } of queued) await untilEnded(ada, run_id);
    const branch = await branchOf(ada, talk.thread_id);
    expect(branch.filter(({ role }) => role === "user").map(textOfMessage)).toEqual([
      "Zero gap=10 tokens=30",
      "One tokens=3",
      "Two tokens=3",
      "Three tokens=3",
    ]);
    expect(branch.every(({ siblings }) => siblings.length === 0)).toBe(true);
    expect(await queueOf(ada, talk)).toEqual([]);
  });

  test("is rejected as a sibling of the reply in progress", async ({ ada }) => {
    const talk = await startRun(ada, "Wait\nendless gap=10");
    const params = { thread_id: talk.thread_id };
    const again = await ada.ask("runs.start", { params, body: { parent_id: talk.message_id } });
    expectProblem(again, "thread-busy");
    const beside = { message: { parent_id: talk.message_id, content: userMessage("Beside") } };
    await ada.fails("thread-busy", "runs.start", { params, body: beside });
    await stop(ada, talk);
  });

  test("is queued once however often the request is repeated, which later returns its run", async () => {
    const ada = server().inNewWorkspace();
    const talk = await startRun(ada, "Wait\nendless gap=10");
    const params = { thread_id: talk.thread_id };
    const message = { id: newId("message"), parent_id: talk.reply_id, content: userMessage("Once tokens=2") };
    const body = { id: newId("run"), reply_id: newId("message"), message };
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => await ada.ask("runs.start", { params, body })),
    );
    const ids = { run_id: body.id, message_id: message.id, reply_id: body.reply_id };
    for (const answer of answers) expect(answer, answer.text).toMatchObject({ status: 202, body: ids });
    expect(await queueOf(ada, talk)).toHaveLength(1);
    // Also with only the message's id.
    const other = { message: { ...message, content: userMessage("Other words") } };
    await ada.fails("conflict", "runs.start", { params, body: other });
    await ada.fails("conflict", "runs.start", { params, body: { ...body, ...other } });
    const taken = {
      reply_id: body.reply_id,
      message: { parent_id: talk.reply_id, content: userMessage("x") },
    };
    await ada.fails("conflict", "runs.start", { params, body: taken });
    const elsewhere = { params: { thread_id: newId("thread") }, body };
    await ada.fails("conflict", "runs.start", elsewhere);

    await stop(ada, talk);
    await untilEnded(ada, body.id);
    const after = await ada.ask("runs.start", { params, body });
    expect(after).toMatchObject({ status: 201, body: ids });
    expect(after.body.queued).toBeUndefined();
    expect((await ada.call("messages.list", { params })).messages).toHaveLength(4);
    expect(await server().requestsWith("Once tokens=2")).toHaveLength(1);
  });

  test("keeps its edited content, and is not added again by a repeated request after its removal", async () => {
    const ada = server().inNewWorkspace();
    const talk = await startRun(ada, "Wait\nendless gap=10");
    const first = (await queue(ada, talk, "Frist tokens=2")).body.message_id;
    const params = { thread_id: talk.thread_id };
    const body = {
      message: { id: newId("message"), parent_id: talk.reply_id, content: userMessage("No tokens=2") },
    };
    await ada.call("runs.start", { params, body });
    const third = (await queue(ada, talk, "Third tokens=2")).body;
    await ada.call("queue.update", {
      params: { ...params, queued_id: first },
      body: { content: userMessage("First tokens=2") },
    });
    await ada.call("queue.remove", { params: { ...params, queued_id: body.message.id } });
    expect(
      (await ada.ask("queue.remove", { params: { ...params, queued_id: body.message.id } })).status,
    ).toBe(200);
    await ada.fails("queued-not-found", "runs.start", { params, body });
    expect((await queueOf(ada, talk)).map(({ content }) => content)).toEqual([
      userMessage("First tokens=2"),
      userMessage("Third tokens=2"),
    ]);
    await stop(ada, talk);
    await untilEnded(ada, third.run_id);
    const branch = await branchOf(ada, talk.thread_id);
    expect(
      branch
        .filter(({ role }) => role === "user")
        .slice(1)
        .map(textOfMessage),
    ).toEqual(["First tokens=2", "Third tokens=2"]);
    // A sent entry is a message and no longer in the queue.
    const gone = { ...params, queued_id: first };
    await ada.fails("queued-not-found", "queue.update", {
      params: gone,
      body: { content: userMessage("x") },
    });
    await ada.fails("queued-not-found", "queue.remove", { params: gone });
  });

  test("can be restored to its place after its removal, even if others were sent in the meantime", async () => {
    const ada = server().inNewWorkspace();
    const talk = await startRun(ada, "Wait\nendless gap=10");
    const params = { thread_id: talk.thread_id };
    const first = (await queue(ada, talk, "First\nendless gap=10")).body;
    const second = (await queue(ada, talk, "Second tokens=2")).body;
    const third = (await queue(ada, talk, "Third tokens=2")).body;
    const place = { ...params, queued_id: second.message_id };
    const body = { content: userMessage("Second tokens=2"), restore: true };
    await ada.call("queue.remove", { params: place });
    await ada.call("queue.update", { params: place, body });
    await ada.call("queue.update", { params: place, body });
    expect((await queueOf(ada, talk)).map(({ id }) => id)).toEqual(
      [first, second, third].map(({ message_id }) => message_id),
    );
    await ada.call("queue.remove", { params: place });
    await stop(ada, talk);
    await untilEnded(ada, talk.run_id);
    await ada.call("queue.update", { params: place, body });
    expect((await queueOf(ada, talk)).map(({ id }) => id)).toEqual([second.message_id, third.message_id]);
    await stop(ada, first);
    await untilEnded(ada, third.run_id);
    expect(
      (await branchOf(ada, talk.thread_id)).filter(({ role }) => role === "user").map(textOfMessage),
    ).toEqual(["Wait\nendless gap=10", "First\nendless gap=10", "Second tokens=2", "Third tokens=2"]);
    // It has become a message.
    await ada.fails("queued-not-found", "queue.update", { params: place, body });
  });

  test("needs content, an existing entry, and free space in the queue", async ({ ada }) => {
    const talk = await startRun(ada, "Wait\nendless gap=10");
    const params = { thread_id: talk.thread_id };
    const { message_id } = (await queue(ada, talk, "Words")).body;
    const empty = { content: { role: "user", content: [] } };
    await ada.fails("bad-request", "queue.update", {
      params: { ...params, queued_id: message_id },
      body: empty,
    });
    const nobody = { ...params, queued_id: newId("message") };
    for (const name of ["queue.remove", "queue.send"] as const)
      await ada.fails("queued-not-found", name, { params: nobody });
    for (let count = 1; count < limits.queuedMax; count++)
      expect((await queue(ada, talk, `More ${count}`)).status).toBe(202);
    expectProblem(await queue(ada, talk, "One too many"), "queue-full");
    await ada.call("queue.remove", { params: { ...params, queued_id: message_id } });
    expect((await queue(ada, talk, "Now it fits")).status).toBe(202);
    for (const { id } of await queueOf(ada, talk))
      await ada.call("queue.remove", { params: { ...params, queued_id: id } });
    await stop(ada, talk);
  });

  test("is not found by a stranger", async ({ ada, eve }) => {
    const talk = await startRun(ada, "Wait\nendless gap=10");
    const { message_id, run_id, reply_id } = (await queue(ada, talk, "Nobody else's business")).body;
    const own = await sendAndWait(eve, "Mine tokens=2");
    const places = [talk.thread_id, own.thread_id];
    for (const thread_id of places) {
      const params = { thread_id, queued_id: message_id };
      const code = thread_id === own.thread_id ? "queued-not-found" : "thread-not-found";
      await eve.fails(code, "queue.remove", { params });
      await eve.fails(code, "queue.send", { params });
      await eve.fails(code, "queue.update", { params, body: { content: userMessage("Mine") } });
    }
    const params = { thread_id: own.thread_id };
    const content = userMessage("x");
    for (const body of [
      { id: run_id, message: { parent_id: own.reply_id, content } },
      { message: { id: message_id, parent_id: own.reply_id, content } },
      { reply_id, message: { parent_id: own.reply_id, content } },
    ]) {
      const answer = await eve.ask("runs.start", { params, body });
      expectProblem(answer, "conflict");
      expect(answer.text).not.toContain("business");
    }
    expect(await queueOf(ada, talk)).toHaveLength(1);
    await ada.call("queue.remove", { params: { thread_id: talk.thread_id, queued_id: message_id } });
    await stop(ada, talk);
  });

  test("is announced to everyone who views the thread, with each change", async ({ ada, ben }) => {
    const talk = await startRun(ada, "Wait\nendless gap=10");
    const feed = await ben.live();
    const readAnnounced = async () =>
      await feed.until(({ data }) => data.type === "change" && data.change.type === "queue-put");
    await feed.until(({ data }) => data.type === "hello");
    const { message_id } = (await queue(ada, talk, "One tokens=2")).body;
    await readAnnounced();
    const params = { thread_id: talk.thread_id, queued_id: message_id };
    await ben.call("queue.update", { params, body: { content: userMessage("Uno tokens=2") } });
    await readAnnounced();
    await stop(ada, talk);
    const seen = await readAnnounced();
    expect(JSON.stringify(seen)).not.toContain("Uno tokens");
    expect(await queueOf(ben, talk)).toEqual([]);
    feed.close();
    await expect.poll(async () => await branchOf(ben, talk.thread_id)).toHaveLength(4);
  });

  describe("sent to the queue too late", () => {
    test("is added at the end of the branch if the answer has ended and others were sent", async () => {
      const ada = server().inNewWorkspace();
      const talk = await startRun(ada, "Zero\nendless gap=10");
      const one = (await queue(ada, talk, "One\nendless gap=10")).body;
      await stop(ada, talk);
      const late = await queue(ada, talk, "Two tokens=2", true);
      expect(late).toMatchObject({ status: 202, body: { queued: { parent_id: one.reply_id } } });
      await stop(ada, one);
      await untilEnded(ada, late.body.run_id);
      const last = await queue(ada, talk, "Three tokens=2", true);
      expect(last.status).toBe(201);
      const branch = await branchOf(ada, talk.thread_id);
      expect(branch.at(-2)).toMatchObject({ id: last.body.message_id, parent_id: late.body.reply_id });
      await readWholeLog(ada, last.body.run_id);
    });

    test("waits behind messages on hold", async ({ ada }) => {
      const { talk, queued } = await queueAfterFailure(server(), ada, ["One tokens=2"]);
      const late = await queue(ada, talk, "Two tokens=2", true);
      expect(late).toMatchObject({ status: 202, body: { queued: { is_held: true } } });
      expect((await queueOf(ada, talk)).map(({ id }) => id)).toEqual([...queued, late.body.message_id]);
    });
  });

  describe("after an answer that failed", () => {
    test("is on hold until it is sent, once and before the others", async ({ ada }) => {
      const { talk, queued } = await queueAfterFailure(server(), ada, [
        "One tokens=2",
        "Two tokens=2",
        "Three tokens=2",
      ]);
      expect((await queueOf(ada, talk)).map(({ is_held }) => is_held)).toEqual([true, true, true]);
      const params = { thread_id: talk.thread_id, queued_id: queued[1]! };
      const answers = await Promise.all(
        Array.from({ length: 4 }, async () => await ada.call("queue.send", { params })),
      );
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      await expect.poll(async () => await queueOf(ada, talk)).toEqual([]);
      await expect
        .poll(async () => (await branchOf(ada, talk.thread_id)).at(-1)?.status.type)
        .toBe("complete");
      const branch = await branchOf(ada, talk.thread_id);
      expect(
        branch
          .filter(({ role }) => role === "user")
          .slice(1)
          .map(textOfMessage),
      ).toEqual(["Two tokens=2", "One tokens=2", "Three tokens=2"]);
    });

    test("cannot be sent while an answer before it is in progress", async ({ ada }) => {
      const talk = await startRun(ada, "Wait\nendless gap=10");
      const { message_id } = (await queue(ada, talk, "One tokens=2")).body;
      const params = { thread_id: talk.thread_id, queued_id: message_id };
      await ada.fails("thread-busy", "queue.send", { params });
      await stop(ada, talk);
    });

    const waysToContinue: Record<string, (ada: Visitor, talk: StartedRun) => Promise<unknown>> = {
      "the answer is continued": async (ada, talk) =>
        await ada.call("runs.continue", { params: { run_id: talk.run_id }, body: {} }),
      "the question is answered again": async (ada, talk) =>
        await ada.call("runs.start", {
          params: { thread_id: talk.thread_id },
          body: { parent_id: talk.message_id },
        }),
      "another message is sent": async (ada, talk) =>
        await ada.call("runs.start", {
          params: { thread_id: talk.thread_id },
          body: { message: { parent_id: talk.reply_id, content: userMessage("Let me say tokens=2") } },
        }),
      "the question is edited": async (ada, talk) =>
        await ada.call("runs.start", {
          params: { thread_id: talk.thread_id },
          body: { message: { parent_id: null, content: userMessage("Better tokens=2") } },
        }),
    };
    test.for(Object.entries(waysToContinue))(
      "is sent after %s, behind that answer",
      async ([, continueThread], { ada }) => {
        const { talk, queued } = await queueAfterFailure(server(), ada, ["One tokens=2", "Two tokens=2"]);
        await continueThread(ada, talk);
        await expect.poll(async () => await queueOf(ada, talk)).toEqual([]);
        const branch = await branchOf(ada, talk.thread_id);
        expect(branch.map(({ id }) => id)).toEqual(expect.arrayContaining(queued));
        expect(branch.map(({ id }) => id).indexOf(queued[0]!)).toBeLessThan(
          branch.map(({ id }) => id).indexOf(queued[1]!),
        );
      },
    );
  });

  test("is not sent while its thread is in the trash, and is on hold when it is restored", async () => {
    const ada = server().inNewWorkspace();
    const talk = await startRun(ada, "Wait\nendless gap=10");
    const params = { thread_id: talk.thread_id };
    const { message_id } = (await queue(ada, talk, "Silent words tokens=2")).body;
    await ada.call("threads.remove", { params });
    await ada.fails("thread-not-found", "queue.remove", { params: { ...params, queued_id: message_id } });
    await stop(ada, talk);
    await ada.call("threads.restore", { params });
    expect(await queueOf(ada, talk)).toMatchObject([{ id: message_id, is_held: true }]);
  });

  test("is sent in an archived thread", async ({ ada }) => {
    const talk = await startRun(ada, "Wait\nendless gap=10");
    const { run_id } = (await queue(ada, talk, "On tokens=2")).body;
    await ada.call("threads.update", { params: { thread_id: talk.thread_id }, body: { is_archived: true } });
    await stop(ada, talk);
    expect(await untilEnded(ada, run_id)).toBe("completed");
  });

  test("is deleted with the reply before it if everything below is deleted", async ({ ada }) => {
    const talk = await startRun(ada, "Wait\nendless gap=10");
    await queue(ada, talk, "Below it tokens=2");
    const params = { thread_id: talk.thread_id };
    await ada.call("messages.remove", {
      params,
      query: { descendants: true },
      body: { message_ids: [talk.reply_id] },
    });
    expect(await queueOf(ada, talk)).toEqual([]);
    await untilEnded(ada, talk.run_id);
    expect((await ada.call("messages.list", { params })).messages).toHaveLength(1);
  });

  test("is on hold behind the question if only the reply is deleted, and follows the next answer", async () => {
    const ada = server().inNewWorkspace();
    const talk = await startRun(ada, "Wait\nendless gap=10");
    const params = { thread_id: talk.thread_id };
    const first = (await queue(ada, talk, "Next tokens=2")).body;
    const second = (await queue(ada, talk, "And then tokens=2")).body;
    await ada.call("messages.remove", { params, body: { message_ids: [talk.reply_id] } });
    await untilEnded(ada, talk.run_id);
    expect(await queueOf(ada, talk)).toMatchObject(
      [first, second].map(({ message_id: id }) => ({ id, parent_id: talk.message_id, is_held: true })),
    );
    const again = await ada.call("runs.start", { params, body: { parent_id: talk.message_id } });
    expect(await queueOf(ada, talk)).toMatchObject([
      { parent_id: again.reply_id, is_held: false },
      { parent_id: again.reply_id, is_held: false },
    ]);
    await stop(ada, again);
    expect(await untilEnded(ada, first.run_id)).toBe("completed");
    expect(await untilEnded(ada, second.run_id)).toBe("completed");
  });

  test("is deleted with the last message before it", async ({ ada }) => {
    const talk = await startRun(ada, "Wait\nendless gap=10");
    await queue(ada, talk, "Next tokens=2");
    const params = { thread_id: talk.thread_id };
    const body = { message_ids: [talk.reply_id, talk.message_id] };
    await ada.call("messages.remove", { params, body });
    await untilEnded(ada, talk.run_id);
    expect(await queueOf(ada, talk)).toEqual([]);
    expect(await branchOf(ada, talk.thread_id)).toEqual([]);
  });

  test("moves to the new owner when its thread is claimed", async ({ ada }) => {
    const tokens = await signUp(server().url);
    const dan = server().withToken(tokens.access_token);
    const talk = await startRun(dan, "Wait\nendless gap=10");
    const { message_id, run_id } = (await queue(dan, talk, "Mine tokens=2")).body;
    await ada.call("threads.claim", { body: { refresh_token: tokens.refresh_token.token } });
    expect(await queueOf(ada, talk)).toMatchObject([{ id: message_id }]);
    await stop(ada, talk);
    expect(await untilEnded(ada, run_id)).toBe("completed");
  });

  test("is erased with its author, unlike the messages of others", async ({ ada, ben }) => {
    const talk = await startRun(ada, "Wait\nendless gap=10");
    // An erasure covers the whole app, so only this test uses the name.
    const fay = server().inWorkspace(ada.headers["Aui-Workspace-Id"]!, "fay");
    await queue(fay, talk, "Her words tokens=2");
    const bens = (await queue(ben, talk, "His words tokens=2")).body;
    await ada.call("apps.eraseUser", { params: { user_id: "user_fay" } });
    expect((await queueOf(ada, talk)).map(({ id }) => id)).toEqual([bens.message_id]);
    await stop(ada, talk);
    expect(await untilEnded(ada, bens.run_id)).toBe("completed");
  });

  test("does not switch a person who views another branch", async ({ ada }) => {
    const first = await sendAndWait(ada, "Old tokens=2");
    const params = { thread_id: first.thread_id };
    const other = await startRun(ada, "New\nendless gap=10", { thread_id: first.thread_id, parent_id: null });
    const { run_id } = (await queue(ada, other, "Next tokens=2")).body;
    await ada.call("messages.setHead", { params, body: { message_id: first.message_id } });
    await stop(ada, other);
    await untilEnded(ada, run_id);
    expect((await branchOf(ada, first.thread_id)).map(({ id }) => id)).toEqual([
      first.message_id,
      first.reply_id,
    ]);
  });
});

async function queue(
  who: Visitor,
  talk: { thread_id: string; reply_id: string },
  text: string,
  late = false,
) {
  return await who.ask("runs.start", {
    params: { thread_id: talk.thread_id },
    body: {
      message: { parent_id: talk.reply_id, content: userMessage(text), ...(late ? { queue: true } : {}) },
    },
  });
}

async function queueOf(who: Visitor, { thread_id }: StartedRun) {
  return (await who.call("messages.branch", { params: { thread_id } })).queue;
}

async function stop(who: Visitor, { run_id }: { run_id: string }): Promise<void> {
  await who.call("runs.stop", { params: { run_id } });
}

/** The state in which the run ends. A queued message gets its run when it is sent. */
async function untilEnded(who: Visitor, run_id: string): Promise<string> {
  const stream = await vi.waitFor(async () => await who.events(run_id), waitOptions);
  const last = eventsOf(await stream.rest()).at(-1);
  return last?.type === "run-end" ? last.state : "";
}

/** A failed answer with these messages queued behind it. */
async function queueAfterFailure(
  server: TestServer,
  who: Visitor,
  texts: string[],
): Promise<{ talk: StartedRun; queued: string[] }> {
  const words = `Break ${newId("request")}`;
  const talk = await startRun(who, `${words} status=400 times=1\nheld`);
  const queued: string[] = [];
  for (const text of texts) {
    const answer = await queue(who, talk, text);
    expect(answer.status).toBe(202);
    queued.push(answer.body.message_id);
  }
  await server.requestsWith(words);
  server.model.release();
  expect(await untilEnded(who, talk.run_id)).toBe("failed");
  return { talk, queued };
}
