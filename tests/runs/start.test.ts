import { describe, expect } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test } from "../support/servers/server.ts";
import {
  branchOf,
  startRun,
  sendAndWait,
  textOf,
  textOfMessage,
  waitForFirstWord,
  readWholeLog,
  below,
} from "../support/clients/conversation.ts";

type StartBody = BodyInputOf<"runs.start">;

describeServer("starting a run", { model: true }, (server) => {
  test("stores the message and an empty reply immediately, and creates the thread", async ({ ada }) => {
    const talk = await startRun(ada, "Hello there\nendless gap=20");
    const { stream } = await waitForFirstWord(ada, talk.run_id);
    const [question, reply] = await branchOf(ada, talk.thread_id);
    expect(question).toMatchObject({
      id: talk.message_id,
      parent_id: null,
      height: 0,
      content: userMessage("Hello there\nendless gap=20"),
      run_id: null,
    });
    expect(reply).toMatchObject({
      id: talk.reply_id,
      parent_id: talk.message_id,
      height: 1,
      role: "assistant",
      run_id: talk.run_id,
      status: { type: "running", reason: null, error_code: null },
      content: { role: "assistant", content: [], status: { type: "incomplete", reason: "cancelled" } },
    });
    const { thread } = await ada.call("threads.get", { params: { thread_id: talk.thread_id } });
    expect(thread).toMatchObject({
      title: "Hello there",
      title_source: "fallback",
      active_run_id: talk.run_id,
    });
    await ada.call("runs.stop", { params: { run_id: talk.run_id } });
    stream.close();
  });

  test("answers, and stores the folded events", async ({ ada }) => {
    const talk = await sendAndWait(ada, "tokens=40 think=5");
    expect(talk.reply.end).toMatchObject({
      state: "completed",
      finishReason: "stop",
      usage: { output: 45, reasoning: 5 },
    });
    const [, reply] = await branchOf(ada, talk.thread_id);
    expect(reply?.content).toEqual({
      role: "assistant",
      content: talk.reply.parts,
      metadata: { custom: {} },
      status: { type: "complete", reason: "stop" },
    });
    expect(talk.reply.parts.map(({ type }) => type)).toEqual(["reasoning", "text"]);
    expect(reply?.status).toEqual({ type: "complete", reason: "stop", error_code: null });
    const { run } = await ada.call("runs.get", { params: { run_id: talk.run_id } });
    expect(run).toMatchObject({
      state: "completed",
      finish_reason: "stop",
      error: null,
      usage: { output: 45, reasoning: 5 },
    });
    expect(run.last_seq).toBe((await readWholeLog(ada, talk.run_id)).length);
    expect(Date.parse(run.first_token_at!)).toBeGreaterThanOrEqual(Date.parse(run.created_at));
    expect(Date.parse(run.ended_at!)).toBeGreaterThanOrEqual(Date.parse(run.first_token_at!));
  });

  test("sends the whole branch to the model, without other branches", async ({ ada }) => {
    const first = await sendAndWait(ada, "My name is Ada. tokens=2");
    const second = await sendAndWait(ada, "What did I say? tokens=2", below(first));
    await sendAndWait(ada, "And otherwise? tokens=2", below(first));
    const [request] = await server().requestsWith("And otherwise?");
    const texts = (request!.body!.messages as { role: string; content: string }[]).map(
      ({ role, content }) => [role, content],
    );
    expect(texts).toEqual([
      ["system", expect.stringContaining("Today is")],
      ["user", "My name is Ada. tokens=2"],
      ["assistant", textOf(first.reply.parts)],
      ["user", "And otherwise? tokens=2"],
    ]);
    expect(JSON.stringify(request)).not.toContain(textOf(second.reply.parts));
  });

  test("stores an edit as a second child of the parent, and a new answer as a second reply", async () => {
    const ada = server().inNewWorkspace();
    const first = await sendAndWait(ada, "One tokens=3");
    const edited = await sendAndWait(ada, "Two tokens=3", { thread_id: first.thread_id, parent_id: null });
    const again = await ada.call("runs.start", {
      params: { thread_id: first.thread_id },
      body: { parent_id: edited.message_id },
    });
    await readWholeLog(ada, again.run_id);
    const branch = await branchOf(ada, first.thread_id);
    expect(branch.map(({ id }) => id)).toEqual([edited.message_id, again.reply_id]);
    expect(branch.map(({ siblings }) => siblings)).toEqual([
      [first.message_id, edited.message_id],
      [edited.reply_id, again.reply_id],
    ]);
    expect(again.message_id).toBe(edited.message_id);
  });

  test("sends tool results to the model until it is done", async ({ ada }) => {
    const { reply, thread_id: threadId } = await sendAndWait(ada, 'Reckon tool=calculate("6*7")');
    expect(reply.parts[0]).toMatchObject({
      type: "tool-call",
      toolName: "calculate",
      args: { expression: "6*7" },
    });
    expect(JSON.stringify((reply.parts[0] as { result?: unknown }).result)).toContain("42");
    expect(textOf(reply.parts)).toContain("The tools said");
    expect((await branchOf(ada, threadId)).at(-1)?.content.content).toEqual(reply.parts);
  });

  describe("with ids that the client generated", () => {
    const minted = (text: string): StartBody & { id: string; reply_id: string; message: { id: string } } => ({
      id: newId("run"),
      reply_id: newId("message"),
      message: { id: newId("message"), parent_id: null, content: userMessage(text) },
    });

    test("starts once however often the request is repeated, even after the end", async ({ ada }) => {
      const params = { thread_id: newId("thread") };
      const body = minted("Once only tokens=3");
      const expected = { run_id: body.id, message_id: body.message.id, reply_id: body.reply_id };
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () => await ada.ask("runs.start", { params, body })),
      );
      for (const answer of answers)
        expect(answer, answer.text).toMatchObject({ status: 201, body: expected });
      await readWholeLog(ada, body.id);
      expect(await ada.call("runs.start", { params, body })).toEqual(expected);
      const messages = (await ada.call("messages.list", { params })).messages;
      expect(messages.map(({ id }) => id)).toEqual([body.reply_id, body.message.id]);
      expect(await server().requestsWith("Once only")).toHaveLength(1);
    });

    test("starts once if only the message has an id", async ({ ada }) => {
      const params = { thread_id: newId("thread") };
      const body = { message: { id: newId("message"), parent_id: null, content: userMessage("tokens=2") } };
      const answers = await Promise.all(
        Array.from({ length: 8 }, async () => await ada.call("runs.start", { params, body })),
      );
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      await readWholeLog(ada, answers[0]!.run_id);
      expect((await ada.call("messages.list", { params })).messages).toHaveLength(2);
    });

    test("answers a message again once however often the request is repeated", async ({ ada }) => {
      const first = await sendAndWait(ada, "tokens=2");
      const params = { thread_id: first.thread_id };
      const body = { id: newId("run"), reply_id: newId("message"), parent_id: first.message_id };
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () => await ada.call("runs.start", { params, body })),
      );
      for (const answer of answers)
        expect(answer).toEqual({ run_id: body.id, message_id: first.message_id, reply_id: body.reply_id });
      await readWholeLog(ada, body.id);
      expect((await ada.call("messages.list", { params })).messages).toHaveLength(3);
    });

    test("accepts a repeated request with another order of keys", async ({ ada }) => {
      const threadId = newId("thread");
      const { id, reply_id, message } = minted("tokens=2");
      const once = await ada.call("runs.start", {
        params: { thread_id: threadId },
        body: { id, reply_id, message },
      });
      const turned = {
        message: Object.fromEntries(Object.entries(message).toReversed()),
        reply_id,
        id,
      } as unknown as StartBody;
      expect(await ada.call("runs.start", { params: { thread_id: threadId }, body: turned })).toEqual(once);
    });

    test("rejects the same ids with other content", async ({ ada }) => {
      const params = { thread_id: newId("thread") };
      const body = minted("tokens=2");
      await ada.call("runs.start", { params, body });
      await readWholeLog(ada, body.id);
      const others: [string, StartBody][] = [
        ["other words", { ...body, message: { ...body.message, content: userMessage("Other words") } }],
        ["another reply", { ...body, reply_id: newId("message") }],
        ["another message", { ...body, message: { ...body.message, id: newId("message") } }],
        ["the message alone", { message: body.message }],
        ["another run", { ...body, id: newId("run") }],
        ["a taken reply", { ...minted("x"), reply_id: body.reply_id }],
        ["the message as a reply", { ...minted("x"), reply_id: body.message.id }],
        ["answering again under the same id", { id: body.id, parent_id: body.message.id }],
      ];
      for (const [what, other] of others)
        expectProblem(
          { ...(await ada.ask("runs.start", { params, body: other })), what } as never,
          "conflict",
        );
      const elsewhere = await ada.ask("runs.start", { params: { thread_id: newId("thread") }, body });
      expectProblem(elsewhere, "conflict");
      expect((await ada.call("messages.list", { params })).messages).toHaveLength(2);
    });

    test("rejects one id for both message and reply", async ({ ada }) => {
      const id = newId("message");
      const body = { reply_id: id, message: { id, parent_id: null, content: userMessage("x") } };
      expectProblem(
        await ada.ask("runs.start", { params: { thread_id: newId("thread") }, body }),
        "bad-request",
        "conflict",
      );
    });

    test("reveals to another person only that an id is taken", async ({ ada, eve }) => {
      const params = { thread_id: newId("thread") };
      const body = minted("Nobody else's business tokens=2");
      await ada.call("runs.start", { params, body });
      await readWholeLog(ada, body.id);
      const own = { thread_id: newId("thread") };
      const tries = [
        await eve.ask("runs.start", { params, body }),
        await eve.ask("runs.start", { params: own, body }),
        await eve.ask("runs.start", { params: own, body: { message: body.message } }),
        await eve.ask("runs.start", { params: own, body: { ...minted("x"), reply_id: body.reply_id } }),
        await eve.ask("runs.start", {
          params: own,
          body: { message: { parent_id: body.message.id, content: userMessage("x") } },
        }),
        await eve.ask("runs.start", { params, body: { parent_id: body.message.id } }),
        await eve.ask("threads.create", {
          body: { id: params.thread_id, last_message_at: new Date().toISOString() },
        }),
      ];
      for (const answer of tries) {
        expectProblem(answer, "conflict", "thread-not-found", "parent-not-in-thread");
        expect(answer.text).not.toContain("business");
      }
      expect((await ada.call("messages.list", { params })).messages).toHaveLength(2);
      expect((await eve.call("threads.list")).threads).toEqual([]);
    });

    test.for([
      "",
      "run_",
      "thread_0123",
      "x".repeat(300),
      "run_0" + "l".repeat(24),
      "run_0" + "A".repeat(24),
      "run_0\u0000" + "a".repeat(23),
    ])("rejects %j as an id", async (id, { ada }) => {
      const thread_id = newId("thread");
      const message = { parent_id: null, content: userMessage("x") };
      const bodies = [{ id, message }, { reply_id: id, message }, { message: { ...message, id } }];
      for (const body of bodies)
        await ada.fails("bad-request", "runs.start", { params: { thread_id }, body });
      await ada.fails("thread-not-found", "threads.get", { params: { thread_id } });
    });
  });

  describe("during an answer", () => {
    test("rejects another answer to the same message", async ({ ada }) => {
      const talk = await startRun(ada, "Wait\nendless gap=10");
      const params = { thread_id: talk.thread_id };
      const again = await ada.ask("runs.start", { params, body: { parent_id: talk.message_id } });
      expectProblem(again, "thread-busy");
      await ada.call("runs.stop", { params: { run_id: talk.run_id } });
      const now = await ada.ask("runs.start", { params, body: { parent_id: talk.message_id } });
      expect(now.status).toBe(201);
      await ada.call("runs.stop", { params: { run_id: now.body.run_id } });
    });

    test("accepts a message on another branch", async ({ ada }) => {
      const talk = await startRun(ada, "Wait\nendless gap=10");
      const other = await sendAndWait(ada, "Another branch tokens=3", {
        thread_id: talk.thread_id,
        parent_id: null,
      });
      expect(other.reply.end?.state).toBe("completed");
      await ada.call("runs.stop", { params: { run_id: talk.run_id } });
    });

    test("starts one of several simultaneous requests", async ({ ada }) => {
      const first = await sendAndWait(ada, "tokens=2");
      const params = { thread_id: first.thread_id };
      const answers = await Promise.all(
        Array.from(
          { length: 8 },
          async () => await ada.ask("runs.start", { params, body: { parent_id: first.message_id } }),
        ),
      );
      const started = answers.filter(({ status }) => status === 201);
      for (const answer of answers) if (answer.status !== 201) expectProblem(answer, "thread-busy");
      expect(started.length).toBeGreaterThan(0);
      for (const { body } of started) await readWholeLog(ada, body.run_id);
      expect((await ada.call("messages.list", { params })).messages).toHaveLength(2 + started.length);
    });
  });

  test("rejects parents that are unknown, in another thread, or not a person's message", async ({ ada }) => {
    const here = await sendAndWait(ada, "tokens=2");
    const there = await sendAndWait(ada, "tokens=2");
    const params = { thread_id: here.thread_id };
    const ask = async (body: StartBody) => await ada.ask("runs.start", { params, body });
    expectProblem(await ask({ parent_id: there.message_id }), "parent-not-in-thread");
    expectProblem(await ask({ parent_id: newId("message") }), "parent-not-in-thread");
    expectProblem(
      await ask({ message: { parent_id: there.reply_id, content: userMessage("x") } }),
      "parent-not-in-thread",
    );
    expectProblem(await ask({ parent_id: here.reply_id }), "bad-request");
    expectProblem(await ask({ parent_id: here.message_id, model: "gone" }), "model-not-found");
    expectProblem(await ask({ parent_id: here.message_id, assistant_id: "nobody" }), "assistant-not-found");
    expectProblem(await ask({}), "bad-request");
    expectProblem(
      await ask({ parent_id: here.message_id, message: { parent_id: null, content: userMessage("x") } }),
      "bad-request",
    );
    await ada.call("threads.remove", { params });
    expectProblem(await ask({ parent_id: here.message_id }), "thread-not-found");
    expectProblem(await ask({ message: { parent_id: null, content: userMessage("x") } }), "thread-not-found");
  });

  test("rejects a thread id in another format, and a parent in an unknown thread", async ({ ada }) => {
    const body = { message: { parent_id: null, content: userMessage("x") } };
    await ada.fails("thread-not-found", "runs.start", { params: { thread_id: "mine" }, body });
    const thread_id = newId("thread");
    const answer = await ada.ask("runs.start", {
      params: { thread_id },
      body: { message: { parent_id: newId("message"), content: userMessage("x") } },
    });
    expectProblem(answer, "thread-not-found", "parent-not-in-thread");
    await ada.fails("thread-not-found", "threads.get", { params: { thread_id } });
  });

  test("stores every text unchanged", async ({ ada }) => {
    const text =
      'NUL \u0000, lone \ud83d and \ude00, pair 😀, \u2028, "quotes" \\ and </script>\nfinal tokens=2';
    const { thread_id, reply } = await sendAndWait(ada, text);
    expect(reply.end?.state).toBe("completed");
    expect(textOfMessage((await branchOf(ada, thread_id))[0])).toBe(text);
    const { thread } = await ada.call("threads.get", { params: { thread_id } });
    expect(thread.title).not.toMatch(/\p{Cc}|\p{Cs}/u);
  });
});
