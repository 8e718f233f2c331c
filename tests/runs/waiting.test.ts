import { beforeEach, describe, expect } from "vitest";
import { fold, waitingCalls } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import type { Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { userMessage } from "#fixtures/people.ts";
import { openDatabase } from "#storage/database/open.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test, type TestServer } from "../support/servers/server.ts";
import {
  branchOf,
  answerCall,
  startRun,
  sendAndGetCall,
  sendAndWait,
  textOf,
  readWholeLog,
  below,
} from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";

const executed: { name: string; args: unknown }[] = [];
beforeEach(() => void executed.splice(0));
const tools = approvalTools((name, args) => executed.push({ name, args }));
const did = (letter: string): number =>
  executed.filter(({ args }) => (args as { to?: string }).to === letter).length;

const runOf = async (who: Visitor, runId: string) =>
  (await who.call("runs.get", { params: { run_id: runId } })).run;
const threadOf = async (who: Visitor, threadId: string) =>
  (await who.call("threads.get", { params: { thread_id: threadId } })).thread;

/** The messages of the model's last request. */
async function messagesOfLastRequest(server: TestServer, words: string) {
  const requests = await server.requestsWith(words);
  return requests.at(-1)!.body!.messages as { role: string; content: unknown; tool_calls?: unknown[] }[];
}

describeServer("a call that needs approval", { model: true, tools }, (server) => {
  test("waits for the person without a lease, and everyone is notified", async ({ ada, ben }) => {
    const feed = await ben.live();
    await feed.next();
    const talk = await sendAndGetCall(ada, 'Write to Ann. tool=send_letter({"to":"Ann"})');
    expect(talk.events.slice(-3)).toMatchObject([
      { type: "step-end" },
      { type: "tool-call-ask", part: 0 },
      { type: "run-wait", parts: [0] },
    ]);
    expect(waitingCalls(fold(talk.events))).toMatchObject([{ part: 0, needs: "approval" }]);
    expect(did("Ann")).toBe(0);

    expect(await runOf(ada, talk.run_id)).toMatchObject({ state: "requires-action", ended_at: null });
    expect(await threadOf(ben, talk.thread_id)).toMatchObject({
      active_run_id: talk.run_id,
      needs_action: true,
    });
    const reply = (await branchOf(ben, talk.thread_id)).at(-1)!;
    expect(reply).toMatchObject({
      status: { type: "requires-action", reason: "tool-calls", error_code: null },
      content: {
        content: fold(talk.events).parts,
        status: { type: "requires-action", reason: "tool-calls" },
      },
    });
    expect(reply.content.content).toMatchObject([
      { toolName: "send_letter", args: { to: "Ann" }, approval: { id: "call_0_0" } },
    ]);
    const frames = await feed.until(
      ({ data }) =>
        data.type === "change" && data.change.type === "thread-put" && data.change.thread.needs_action,
    );
    expect(frames.map(({ data }) => (data.type === "change" ? data.change : undefined))).toContainEqual({
      type: "run-put",
      thread_id: talk.thread_id,
      run_id: talk.run_id,
      reply_id: talk.reply_id,
      state: "requires-action",
    });
    feed.close();
    const db = await openDatabase(server().place).catch(() => undefined);
    const row = await db?.read
      .selectFrom("runs")
      .selectAll()
      .where("id", "=", talk.run_id)
      .executeTakeFirst();
    // Only the server may open SQLite's file. There, the reaper's tests check that the run has no lease.
    if (row !== undefined) expect(row).toMatchObject({ lease_owner: null, lease_expires_at: null });
    await db?.close();
    await ada.call("runs.stop", { params: { run_id: talk.run_id } });
  });

  test("is executed once it is approved, and the model continues with its result", async ({ ada }) => {
    const talk = await sendAndGetCall(ada, 'Write to Bob. tool=send_letter({"to":"Bob"})');
    const answered = await answerCall(ada, talk.run_id, true);
    expect(answered.status, answered.text).toBe(200);
    expect(["running", "completed"]).toContain(answered.body.run.state);
    const events = await readWholeLog(ada, talk.run_id);
    expect(events.slice(0, talk.events.length)).toEqual(talk.events);
    expect(events.slice(talk.events.length)).toMatchObject([
      { type: "tool-call-decision", part: 0, approved: true },
      { type: "run-resume" },
      { type: "tool-call-result", part: 0, result: { sent: "Bob" } },
      { type: "text-start" },
      ...events.slice(talk.events.length + 4),
    ]);
    expect(did("Bob")).toBe(1);
    const reply = (await branchOf(ada, talk.thread_id)).at(-1)!;
    expect(reply).toMatchObject({ status: { type: "complete" }, content: { content: fold(events).parts } });
    expect(textOf(fold(events).parts)).toContain('The tools said: {"sent":"Bob"}.');
    expect(await runOf(ada, talk.run_id)).toMatchObject({ state: "completed", finish_reason: "stop" });
    expect(await threadOf(ada, talk.thread_id)).toMatchObject({ active_run_id: null, needs_action: false });

    const messages = await messagesOfLastRequest(server(), "Write to Bob.");
    expect(messages.slice(2)).toMatchObject([
      { role: "assistant", tool_calls: [{ id: "call_0_0", function: { name: "send_letter" } }] },
      { role: "tool", tool_call_id: "call_0_0", content: '{"sent":"Bob"}' },
    ]);
  });

  test("counts the usage of every step, before and after the wait", async ({ ada }) => {
    const talk = await sendAndGetCall(ada, 'Count this. tokens=7 pieces=1 tool=send_letter({"to":"Cid"})');
    expect((await runOf(ada, talk.run_id)).usage.output).toBe(2);
    await answerCall(ada, talk.run_id, true);
    const events = await readWholeLog(ada, talk.run_id);
    expect(events.at(-1)).toMatchObject({ type: "run-end", usage: { output: 9 } });
    expect((await runOf(ada, talk.run_id)).usage.output).toBe(9);
  });

  test("is reported to the model as denied, with the person's reason, and the model continues", async () => {
    const ada = server().inNewWorkspace();
    const talk = await sendAndGetCall(ada, 'Write to Dan. tool=send_letter({"to":"Dan"})');
    expect((await answerCall(ada, talk.run_id, false, { reason: "He has moved." })).status).toBe(200);
    const events = await readWholeLog(ada, talk.run_id);
    const reply = fold(events);
    expect(did("Dan")).toBe(0);
    expect(reply.parts).toMatchObject([
      { toolName: "send_letter", isError: true, approval: { approved: false, reason: "He has moved." } },
      { type: "text" },
    ]);
    expect((await messagesOfLastRequest(server(), "Write to Dan.")).at(-1)).toMatchObject({
      role: "tool",
      content: "The person did not allow this tool call. They said: He has moved.",
    });
    // The next request reports the same.
    await sendAndWait(ada, "And then after Dan? tokens=2", below(talk));
    expect(await messagesOfLastRequest(server(), "And then after Dan?")).toContainEqual(
      expect.objectContaining({
        role: "tool",
        content: "The person did not allow this tool call. They said: He has moved.",
      }),
    );
  });

  test("asks only if its arguments require it", async ({ ada }) => {
    const small = await sendAndWait(ada, 'Tidy one. tool=delete_files({"count":1})');
    expect(small.reply.parts[0]).toMatchObject({ result: { deleted: 1 } });
    const large = await sendAndGetCall(ada, 'Tidy many. tool=delete_files({"count":9})');
    await answerCall(ada, large.run_id, true);
    expect(fold(await readWholeLog(ada, large.run_id)).parts[0]).toMatchObject({ result: { deleted: 9 } });
  });

  test("continues when the last of several is decided; calls that need no approval are executed at once", async () => {
    const ada = server().inNewWorkspace();
    const talk = await sendAndGetCall(
      ada,
      'Three. tool=send_letter({"to":"Eve"}) tool=calculate("6*7") tool=send_letter({"to":"Fay"})',
    );
    expect(fold(talk.events).parts).toMatchObject([
      { approval: {} },
      { result: { result: "42" } },
      { approval: {} },
    ]);
    await answerCall(ada, talk.run_id, true, { tool_call_id: "call_0_2" });
    expect(await runOf(ada, talk.run_id)).toMatchObject({ state: "requires-action" });
    expect((await branchOf(ada, talk.thread_id)).at(-1)?.content.content).toMatchObject([
      { approval: { id: "call_0_0" } },
      {},
      { approval: { approved: true } },
    ]);
    expect(did("Fay")).toBe(0);
    await answerCall(ada, talk.run_id, false, { tool_call_id: "call_0_0" });
    const reply = fold(await readWholeLog(ada, talk.run_id));
    expect([did("Eve"), did("Fay")]).toEqual([0, 1]);
    expect(reply.parts).toMatchObject([
      { isError: true },
      { result: { result: "42" } },
      { result: { sent: "Fay" } },
      { type: "text" },
    ]);
  });

  test("asks several times in one answer", async ({ ada }) => {
    const talk = await sendAndGetCall(ada, 'Twice. rounds=2 tool=send_letter({"to":"Gus"})');
    await answerCall(ada, talk.run_id, true);
    const stream = await ada.events(talk.run_id, talk.events.length);
    await stream.until(({ data }) => data.type === "run-wait");
    expect(did("Gus")).toBe(1);
    await answerCall(ada, talk.run_id, true, { tool_call_id: "call_1_0" });
    expect((await stream.rest()).at(-1)?.data).toMatchObject({ type: "run-end", state: "completed" });
    expect(did("Gus")).toBe(2);
  });

  test("accepts one of several simultaneous decisions: a repeated one succeeds, a different one is too late", async () => {
    const { ada, ben } = server().colleagues();
    for (const first of [true, false]) {
      const letter = `Hal ${first}`;
      const talk = await sendAndGetCall(ada, `Race. tool=send_letter({"to":"${letter}"})`);
      const tries = [ada, ben, ada, ben, ada, ben].map(async (who, n) => ({
        approved: n < 3 === first,
        answer: await answerCall(who, talk.run_id, n < 3 === first),
      }));
      const outcomes = await Promise.all(tries);
      const won = outcomes.filter(({ answer }) => answer.status === 200);
      expect(new Set(won.map(({ approved }) => approved)).size).toBe(1);
      expect(won).toHaveLength(3);
      for (const { answer } of outcomes) if (answer.status !== 200) expectProblem(answer, "call-answered");
      const events = await readWholeLog(ada, talk.run_id);
      expect(events.filter(({ type }) => type === "tool-call-decision")).toHaveLength(1);
      expect(events.filter(({ type }) => type === "run-resume")).toHaveLength(1);
      expect(did(letter)).toBe(won[0]!.approved ? 1 : 0);
      // Also much later.
      expect((await answerCall(ben, talk.run_id, won[0]!.approved)).status).toBe(200);
      expectProblem(await answerCall(ben, talk.run_id, !won[0]!.approved), "call-answered");
    }
  });

  test("ends when it is stopped, keeps the output, and accepts no decision afterwards", async () => {
    const { ada, ben } = server().colleagues();
    const talk = await sendAndGetCall(ada, 'Stop here. tool=send_letter({"to":"Ida"})');
    const { run } = await ben.call("runs.stop", { params: { run_id: talk.run_id } });
    expect(run).toMatchObject({ state: "cancelled" });
    const events = await readWholeLog(ada, talk.run_id);
    expect(events.slice(talk.events.length)).toMatchObject([
      { type: "tool-call-withdrawn", part: 0 },
      { type: "run-end", state: "cancelled" },
    ]);
    const reply = (await branchOf(ada, talk.thread_id)).at(-1)!;
    expect(reply).toMatchObject({
      status: { type: "incomplete", reason: "cancelled" },
      content: {
        content: [{ toolName: "send_letter", args: { to: "Ida" }, approval: { resolution: "cancelled" } }],
      },
    });
    expectProblem(await answerCall(ada, talk.run_id, true), "run-ended");
    expect(did("Ida")).toBe(0);
    expect(await threadOf(ada, talk.thread_id)).toMatchObject({ active_run_id: null, needs_action: false });

    // Continuing the answer makes the model repeat the call, which needs a new approval.
    const going = await ada.call("runs.continue", { params: { run_id: talk.run_id }, body: {} });
    const stream = await ada.events(going.run_id);
    await stream.until(({ data }) => data.type === "run-wait");
    await answerCall(ada, going.run_id, true);
    await stream.rest();
    expect(did("Ida")).toBe(1);
  });

  test("is either stopped or decided when both arrive at the same time", async ({ ada, ben }) => {
    for (let n = 0; n < 5; n++) {
      const letter = `Jan ${n}`;
      const talk = await sendAndGetCall(ada, `Both. tool=send_letter({"to":"${letter}"}) tokens=400 gap=5`);
      const [answer] = await Promise.all([
        answerCall(ada, talk.run_id, true),
        ben.call("runs.stop", { params: { run_id: talk.run_id } }),
      ]);
      const events = await readWholeLog(ada, talk.run_id);
      expect(events.at(-1)).toMatchObject({ type: "run-end", state: "cancelled" });
      const decided = events.some(({ type }) => type === "tool-call-decision");
      expect(decided).toBe(answer.status === 200);
      if (!decided) expectProblem(answer, "run-ended");
    }
  });

  test("makes its branch busy, and no other branch", async ({ ada }) => {
    const talk = await sendAndGetCall(ada, 'Busy. tool=send_letter({"to":"Kim"})');
    const params = { thread_id: talk.thread_id };
    await ada.fails("thread-busy", "runs.start", { params, body: { parent_id: talk.message_id } });
    await ada.fails("run-not-continuable", "runs.continue", { params: { run_id: talk.run_id }, body: {} });
    await sendAndWait(ada, "Elsewhere tokens=2", { thread_id: talk.thread_id, parent_id: null });
    expect(await threadOf(ada, talk.thread_id)).toMatchObject({ needs_action: true });
    await answerCall(ada, talk.run_id, false);
    await readWholeLog(ada, talk.run_id);
  });

  test.for(["denied", "stopped"] as const)("queues messages until it is %s", async (how, { ada }) => {
    const talk = await sendAndGetCall(ada, 'Queue. tool=send_letter({"to":"Pia"})');
    const queued = await ada.ask("runs.start", {
      params: { thread_id: talk.thread_id },
      body: { message: { parent_id: talk.reply_id, content: userMessage("And then tokens=2") } },
    });
    expect(queued.status).toBe(202);
    expect((await branchOf(ada, talk.thread_id)).at(-1)?.id).toBe(talk.reply_id);
    if (how === "denied") await answerCall(ada, talk.run_id, false);
    else await ada.call("runs.stop", { params: { run_id: talk.run_id } });
    await readWholeLog(ada, talk.run_id);
    await readWholeLog(ada, queued.body.run_id);
    expect((await branchOf(ada, talk.thread_id)).map(({ id }) => id)).toEqual([
      talk.message_id,
      talk.reply_id,
      queued.body.message_id,
      queued.body.reply_id,
    ]);
  });

  test("ends when its message or its thread is deleted", async ({ ada }) => {
    const removed = await sendAndGetCall(ada, 'Gone. tool=send_letter({"to":"Leo"})');
    await ada.call("messages.remove", {
      params: { thread_id: removed.thread_id },
      body: { message_ids: [removed.reply_id] },
    });
    expectProblem(await answerCall(ada, removed.run_id, true), "run-ended");
    server().clock.advance(limits.runHeartbeatMs);
    expect((await readWholeLog(ada, removed.run_id)).at(-1)).toMatchObject({ state: "cancelled" });
    expect(did("Leo")).toBe(0);

    const trashed = await sendAndGetCall(ada, 'Trashed. tool=send_letter({"to":"Mia"})');
    const params = { thread_id: trashed.thread_id };
    await ada.call("threads.remove", { params });
    expectProblem(await answerCall(ada, trashed.run_id, true), "thread-not-found");
    await ada.call("threads.restore", { params });
    expect((await answerCall(ada, trashed.run_id, true)).status).toBe(200);
    await readWholeLog(ada, trashed.run_id);
    expect(did("Mia")).toBe(1);
  });

  test("rejects invalid decisions with an error and without effect", async ({ ada, eve }) => {
    const talk = await sendAndGetCall(ada, 'Refuse. tool=send_letter({"to":"Ned"}) tool=calculate("1+1")');
    const before = await runOf(ada, talk.run_id);
    expectProblem(await answerCall(eve, talk.run_id, true), "run-not-found");
    expectProblem(await answerCall(ada, newId("run"), true), "run-not-found");
    expectProblem(await answerCall(ada, talk.run_id, true, { tool_call_id: "call_9" }), "call-not-found");
    expectProblem(await answerCall(ada, talk.run_id, true, { tool_call_id: "call_0_1" }), "call-not-waiting");
    const params = { run_id: talk.run_id };
    const giveResult = (tool_call_id: string, result: Json) =>
      ada.ask("runs.giveResult", { params, body: { tool_call_id, result } });
    expectProblem(await giveResult("call_0_0", "sent, I swear"), "call-not-waiting");
    expectProblem(await giveResult("call_0_1", 3), "call-not-waiting");
    for (const body of [
      {},
      { tool_call_id: "call_0_0" },
      { tool_call_id: 7, approved: true },
      { tool_call_id: "", approved: true },
      { tool_call_id: "call_0_0", approved: "yes" },
      { tool_call_id: "call_0_0", approved: false, reason: "x".repeat(limits.reasonCharacters + 1) },
    ])
      await ada.fails("bad-request", "runs.approve", { params, body: body as never });
    expect(await runOf(ada, talk.run_id)).toEqual(before);
    expect(did("Ned")).toBe(0);
    await ada.call("runs.stop", { params });

    const plain = await sendAndWait(ada, 'Plain. tool=calculate("2+2")');
    expectProblem(await answerCall(ada, plain.run_id, true), "run-ended");
  });

  test("is listed to protocol clients in the protocol's format", async ({ ada }) => {
    const talk = await sendAndGetCall(ada, 'Listed. tool=send_letter({"to":"Oda"})');
    const listed = async (format?: string) => {
      const query = format === undefined ? {} : { format };
      const { messages } = await ada.call("messages.list", { params: { thread_id: talk.thread_id }, query });
      return messages[0]!.content;
    };
    expect(await listed()).toMatchObject({
      status: { type: "requires-action", reason: "tool-calls" },
      content: [{ type: "tool-call", toolCallId: "call_0_0", approval: { id: "call_0_0" } }],
    });
    const call = { type: "tool-send_letter", toolCallId: "call_0_0", input: { to: "Oda" } };
    expect(await listed("ai-sdk/v6")).toMatchObject({
      parts: [{ type: "step-start" }, { ...call, state: "approval-requested", approval: { id: "call_0_0" } }],
    });
    expect(await listed("ai-sdk/v5")).toMatchObject({
      parts: [{ type: "step-start" }, { ...call, state: "input-available" }],
    });
    await answerCall(ada, talk.run_id, false, { reason: "No." });
    await readWholeLog(ada, talk.run_id);
    expect(((await listed("ai-sdk/v6")).parts as unknown[])[1]).toEqual({
      ...call,
      state: "output-denied",
      approval: { id: "call_0_0", approved: false, reason: "No." },
    });
    expect(((await listed("ai-sdk/v5")).parts as unknown[])[1]).toMatchObject({
      ...call,
      state: "output-error",
    });
  });

  test("is not offered to clients that cannot ask a person", async ({ ada }) => {
    const body = {
      thread_id: "unstable_todo",
      assistant_id: "default",
      messages: [userMessage("By wire tokens=2")],
    };
    expect((await ada.ask("runs.stream", { body })).status).toBe(200);
    const [request] = await server().requestsWith("By wire");
    const names = (request!.body!.tools as { function: { name: string } }[]).map(
      (tool) => tool.function.name,
    );
    expect(names).toContain("calculate");
    expect(names).not.toContain("ask_person");
  });
});

describeServer("a call that the person answers", { model: true, tools }, () => {
  const ask = 'tool=ask_person({"question":"Which colour?","choices":["red","blue"]})';
  const give = async (who: Visitor, runId: string, result: unknown) =>
    await who.ask("runs.giveResult", {
      params: { run_id: runId },
      body: { tool_call_id: "call_0_0", result: result as Json },
    });

  test("has the person's answer as its result, which the model gets", async ({ ada }) => {
    const talk = await sendAndGetCall(ada, `Paint the door. ${ask}`);
    expect(waitingCalls(fold(talk.events))).toMatchObject([{ part: 0, needs: "result" }]);
    const result = { chosen: ["blue"], said: "a dark one" };
    expect((await give(ada, talk.run_id, result)).status).toBe(200);
    const reply = fold(await readWholeLog(ada, talk.run_id));
    expect(reply.parts[0]).toMatchObject({ toolName: "ask_person", result });
    expect(textOf(reply.parts)).toContain(JSON.stringify(result));
    // Repeating the result changes nothing, whatever the order of its keys. A different result is too late.
    expect((await give(ada, talk.run_id, { said: "a dark one", chosen: ["blue"] })).status).toBe(200);
    expectProblem(await give(ada, talk.run_id, { chosen: ["red"] }), "call-answered");
  });

  test("accepts any JSON value as the result", async ({ ada }) => {
    const talk = await sendAndGetCall(ada, "Read on. tool=look_at_page({})");
    expectProblem(await give(ada, talk.run_id, { page: 7 }), "bad-request");
    const result = JSON.parse('{"page":"a\\u0000b\\ud800","__proto__":{"x":[0,false,null,""]}}') as Json;
    expect((await give(ada, talk.run_id, result)).status).toBe(200);
    const [part] = fold(await readWholeLog(ada, talk.run_id)).parts;
    expect(JSON.stringify((part as { result: Json }).result)).toBe(JSON.stringify(result));
  });

  describe("rejects", () => {
    test.for([
      ["a value that was not offered", { chosen: ["green"] }],
      ["more than one value", { chosen: ["red", "blue"] }],
      ["no value", { chosen: [] }],
      ["another shape", "blue"],
      ["null", null],
    ] as const)("%s", async ([, result], { ada }) => {
      const talk = await sendAndGetCall(ada, `Refused. ${ask}`);
      const answer = await give(ada, talk.run_id, result);
      expectProblem(answer, "bad-request");
      expect((JSON.parse(answer.text) as { details: { path: string }[] }).details[0]?.path).toBe(
        "body.result",
      );
      expect(await runOf(ada, talk.run_id)).toMatchObject({ state: "requires-action" });
      await ada.call("runs.stop", { params: { run_id: talk.run_id } });
    });

    test("a result that is too large or missing, and a decision instead of a result", async ({ ada }) => {
      const talk = await sendAndGetCall(ada, `Refused too. ${ask}`);
      expectProblem(await give(ada, talk.run_id, { chosen: ["red"], said: "x".repeat(70_000) }), "too-large");
      expectProblem(await give(ada, talk.run_id, undefined), "bad-request");
      expectProblem(await answerCall(ada, talk.run_id, true), "call-not-waiting");
      expect((await give(ada, talk.run_id, { skipped: true })).status).toBe(200);
      await readWholeLog(ada, talk.run_id);
    });
  });

  test("does not ask the person if the call is invalid", async ({ ada }) => {
    const talk = await sendAndWait(ada, 'Nonsense. tool=ask_person({"question":"","choices":["only one"]})');
    expect(talk.reply.parts[0]).toMatchObject({ toolName: "ask_person", isError: true });
    expect(textOf(talk.reply.parts)).toContain("The tools said");
  });
});

describeServer("the usage of a run", { model: true, tools }, () => {
  const usedBy = async (who: Visitor, runId: string) => (await runOf(who, runId)).usage.output;

  test("is counted if the run fails or is stopped", async ({ ada }) => {
    // Every step with a call uses two tokens.
    const failed = await sendAndWait(ada, 'Fails at last. pieces=1 tool=calculate("1+1")\nloop');
    const output = 2 * limits.runSteps;
    expect(failed.reply.end).toMatchObject({ error: { code: "too-many-steps" }, usage: { output } });
    expect(await usedBy(ada, failed.run_id)).toBe(output);

    const stopped = await startRun(ada, 'Stops later. pieces=1 tool=calculate("1+1") tokens=5000 gap=5');
    const stream = await ada.events(stopped.run_id);
    await stream.until(({ data }) => data.type === "text-delta");
    await ada.call("runs.stop", { params: { run_id: stopped.run_id } });
    expect((await stream.rest()).at(-1)?.data).toMatchObject({ state: "cancelled", usage: { output: 2 } });
    expect(await usedBy(ada, stopped.run_id)).toBe(2);
  });
});
