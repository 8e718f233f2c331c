import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import type { ModelServerOptions } from "#fixtures/model-server/model-server.ts";
import { userMessage } from "#fixtures/people.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { mainWithTools, type ChildServer } from "../support/servers/child-server.ts";
import {
  answerCall,
  branchOf,
  eventsOf,
  readWholeLog,
  sendAndGetCall,
  sendAndWait,
  startRun,
  textOf,
  waitForFirstWord,
} from "../support/clients/conversation.ts";
import { engines } from "../support/postgres/postgres.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { settingsOf } from "../support/servers/server.ts";
import { adaOn, childForTest, modelForTest, placeForTest, serverForTest } from "../support/test-scope.ts";

const forever = { SHUTDOWN_GRACE_SECONDS: "600" };

/** Asks the server to stop, by two signals at once, and waits until it drains. Returns how it ends. */
async function drain(server: ChildServer) {
  void server.end("SIGINT");
  const ended = server.end("SIGTERM");
  await expect.poll(async () => (await adaOn(server).send("GET", "/readyz")).status).toBe(503);
  return { ended };
}

/** Sends a signal that counts as a second one. Returns how the server ends. */
async function signalAgain(server: ChildServer) {
  await setTimeout(600);
  return await server.end("SIGTERM");
}

describe.for(engines)("a server that is asked to stop (%s)", (engine) => {
  test("finishes its answers, serves reads, and leaves other answers to the next server", async () => {
    const where = await placeForTest(engine);
    const provider = await modelForTest();
    const first = await childForTest(where, provider, forever);
    const ada = adaOn(first);
    const failed = await sendAndWait(ada, "Fail tokens=3 die=2");
    // The server waits for this one until the test stops it.
    const endless = await startRun(ada, "Long\nendless gap=25");
    const talk = await startRun(ada, "Long tokens=60 gap=25");
    const { stream, seen } = await waitForFirstWord(ada, talk.run_id);
    const queued = await ada.call("runs.start", {
      params: { thread_id: talk.thread_id },
      body: { message: { parent_id: talk.reply_id, queue: true, content: userMessage("Queued tokens=2") } },
    });
    const { ended } = await drain(first);

    const { body } = await ada.send("GET", "/readyz");
    expect(body).toMatchObject({ ready: false, checks: { server: "draining" } });
    const question = {
      params: { thread_id: talk.thread_id },
      body: {
        id: newId("run"),
        reply_id: newId("message"),
        message: { id: newId("message"), parent_id: null, content: userMessage("Next tokens=2") },
      },
    };
    const refused = await ada.ask("runs.start", question);
    expectProblem(refused, "shutting-down");
    expect(refused.headers.get("retry-after")).toBe("1");
    const refusals = [
      await ada.ask("runs.continue", { params: { run_id: failed.run_id }, body: {} }),
      await ada.ask("runs.stream", {
        body: { thread_id: talk.thread_id, assistant_id: "default", messages: [] },
      }),
    ];
    for (const refusal of refusals) expectProblem(refusal, "shutting-down");
    expect((await ada.ask("threads.list")).status).toBe(200);
    const reader = await ada.events(talk.run_id);

    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    expect(eventsOf(await reader.rest())).toEqual(events);
    await ada.call("runs.stop", { params: { run_id: endless.run_id } });
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(0);
    expect(stderr).not.toMatch(/"level":50/);

    const second = await serverForTest({ engine, place: where, settings: settingsOf(where, provider) });
    expect((await readWholeLog(adaOn(second), queued.run_id)).at(-1)).toMatchObject({ state: "completed" });
    // The outbox repeats a refused request.
    expect((await adaOn(second).ask("runs.start", question)).status).toBe(201);
    expect((await readWholeLog(adaOn(second), question.body.id)).at(-1)).toMatchObject({
      state: "completed",
    });
  });
});

test("a server on SQLite ends its answers as interrupted at a second signal", async () => {
  const where = await placeForTest("sqlite");
  const provider = await modelForTest();
  const first = await childForTest(where, provider, forever);
  const talk = await startRun(adaOn(first), "Long\nendless gap=3");
  const { stream, seen } = await waitForFirstWord(adaOn(first), talk.run_id);
  const feed = await adaOn(first).live();
  await feed.next();
  const announced = feed.until(({ data }) => data.type === "change" && data.change.type === "run-put");
  await drain(first);
  const ending = signalAgain(first);
  const events = eventsOf([...seen, ...(await stream.rest())]);
  expect(events.at(-1)).toMatchObject({ type: "run-end", state: "interrupted" });
  expect((await announced).at(-1)?.data).toMatchObject({ change: { state: "interrupted" } });
  const ended = await ending;
  expect(ended, ended.stderr).toMatchObject({ code: 0, signal: null });
  expect(ended.stderr).not.toMatch(/"level":50/);

  const second = await serverForTest({ engine: "sqlite", place: where });
  expect(await readWholeLog(adaOn(second), talk.run_id)).toEqual(events);
  expect((await branchOf(adaOn(second), talk.thread_id)).at(-1)).toMatchObject({
    status: { type: "incomplete", reason: "interrupted" },
    content: { content: fold(events).parts },
  });
  expect(provider.requests.at(-1)?.ended).toBe("gone");
});

describe.runIf(engines.includes("postgres"))("a server on PostgreSQL that is asked to stop", () => {
  async function setUp(model?: ModelServerOptions) {
    const place = await placeForTest("postgres");
    const provider = await modelForTest(model);
    const callsFile = join(place.dataDir, "calls.jsonl");
    const settings = { ...forever, CALLS_FILE: callsFile };
    const first = await childForTest(place, provider, settings, mainWithTools);
    const startSecond = async () =>
      await serverForTest({
        engine: "postgres",
        place,
        settings: settingsOf(place, provider),
        tools: approvalTools(),
      });
    return { first, startSecond, provider, callsFile };
  }

  /** The second signal ends the grace period. */
  async function stopAtOnce(server: ChildServer): Promise<void> {
    const { ended } = await drain(server);
    void signalAgain(server);
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(0);
    expect(stderr).not.toMatch(/"level":50/);
  }

  test("hands over its answers, which continue on another server in the same log", async () => {
    const { first, startSecond } = await setUp();
    const second = await startSecond();
    const talk = await startRun(adaOn(first), "Long\nendless gap=3");
    const onFirst = await waitForFirstWord(adaOn(first), talk.run_id);
    const onSecond = await waitForFirstWord(adaOn(second), talk.run_id);
    await stopAtOnce(first);

    const events = eventsOf([...onSecond.seen, ...(await onSecond.stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    const resumedAt = events.findIndex(({ type }) => type === "run-resume");
    const before = textOf(fold(events.slice(0, resumedAt)).parts);
    const reply = fold(events);
    expect(before).not.toBe("");
    expect(textOf(reply.parts).startsWith(before)).toBe(true);
    expect(textOf(reply.parts).length).toBeGreaterThan(before.length);
    expect(reply.parts).toHaveLength(1);
    expect(reply.notes).toEqual([{ kind: "continued", name: "" }]);
    expect((await branchOf(adaOn(second), talk.thread_id)).at(-1)).toMatchObject({
      status: { type: "complete" },
      content: { content: reply.parts },
      made_by: { notes: reply.notes },
    });

    // The stream of the first server ended without an error, and its reader resumes on the second.
    const seen = [...onFirst.seen, ...(await onFirst.stream.rest())];
    expect(seen.map(({ event }) => event)).not.toContain("error");
    const rest = await (await adaOn(second).events(talk.run_id, seen.length)).rest();
    expect(eventsOf([...seen, ...rest])).toEqual(events);
  });

  test("hands over an answer that its model then completes as if nothing had happened", async () => {
    // vLLM continues the start of an answer.
    const { first, startSecond, provider } = await setUp({ ownedBy: "vllm" });
    const second = await startSecond();
    const question = "Rivers tokens=120 gap=10";
    const whole = await sendAndWait(adaOn(second), question);
    const talk = await startRun(adaOn(first), question);
    const { stream, seen } = await waitForFirstWord(adaOn(second), talk.run_id);
    await stopAtOnce(first);

    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    expect(events.map(({ type }) => type)).toContain("run-resume");
    const { parts, notes } = fold(events);
    expect(textOf(parts)).toBe(textOf(whole.reply.parts));
    expect(notes).toBeUndefined();
    expect(provider.requests.some(({ body }) => body?.continue_final_message === true)).toBe(true);
  });

  test("hands over an answer within a call that makes an artifact, and keeps what was written", async () => {
    const { first, startSecond } = await setUp();
    const second = await startSecond();
    const content = "<p>willowgreen</p>".repeat(40);
    const args = JSON.stringify({ action: "create", title: "Clock", language: "html", content });
    const talk = await startRun(adaOn(first), `Make. tool=artifact(${args}) pieces=150 gap=40`);
    const stream = await adaOn(second).events(talk.run_id);
    let written = "";
    const seen = await stream.until(({ data }) => {
      if (data.type === "tool-call-delta") written += data.args_text;
      return written.includes("willowgreen");
    });
    await stopAtOnce(first);

    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    const { parts } = fold(events);
    expect(parts[0]).toMatchObject({ toolName: "artifact", isError: true });
    expect(textOf(parts).startsWith('```html title="Clock"\n<p>willowgreen')).toBe(true);
  });

  test("hands over answers without output, which start again, and tool calls, which are not repeated", async () => {
    const { first, startSecond, provider, callsFile } = await setUp();
    const silent = await startRun(adaOn(first), "Slow first=5000 tokens=3");
    const talk = await sendAndGetCall(adaOn(first), "Dig. tool=dig_tunnel({})");
    await answerCall(adaOn(first), talk.run_id, true);
    const calls = () => readFileSync(callsFile, { encoding: "utf8", flag: "a+" }).trim().split("\n");
    await expect.poll(calls).toEqual(['{"name":"dig_tunnel","args":{}}']);
    const timesAsked = () =>
      provider.requests.filter(({ body }) => JSON.stringify(body ?? "").includes("Slow")).length;
    await expect.poll(timesAsked).toBe(1);
    await stopAtOnce(first);

    // Also a server that starts later continues them.
    const second = await startSecond();
    const events = await readWholeLog(adaOn(second), talk.run_id);
    expect(events.at(-1)).toMatchObject({ state: "completed" });
    const { parts, notes } = fold(events);
    expect(parts[0]).toMatchObject({
      isError: true,
      result: { error: expect.stringMatching(/not repeated/) },
    });
    expect(textOf(parts)).toContain("not repeated");
    expect(notes).toBeUndefined();
    expect(calls()).toHaveLength(1);

    const started = await readWholeLog(adaOn(second), silent.run_id);
    expect(started.at(-1)).toMatchObject({ state: "completed" });
    expect(fold(started).notes).toBeUndefined();
    expect(timesAsked()).toBeGreaterThan(1);
  });
});
