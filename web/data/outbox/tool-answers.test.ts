import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryStorage } from "#web/testing/memory-storage.ts";
import { createToolAnswers } from "./tool-answers.ts";
import type { Call } from "../call.ts";
import { CallError, networkError } from "../call-error.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const yes = { runId: "run_a", toolCallId: "call_1", said: { approved: true } };
const settle = async (ms = 0) => await vi.advanceTimersByTimeAsync(ms);

/** A server that fails with the given errors, and then accepts answers. */
function start(failures: Error[] = [], storage = memoryStorage()) {
  const requests: unknown[] = [];
  const refused: string[] = [];
  const call = (async (name: string, input: object) => {
    requests.push({ name, ...input });
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return {};
  }) as unknown as Call;
  const answers = createToolAnswers({
    call,
    storage,
    refused: (runId) => refused.push(runId),
    random: () => 1,
  });
  return { answers, requests, refused, storage, failures, only: () => answers.all.get()[0] };
}

test("sends approvals and results once", async () => {
  const { answers, requests, only, storage } = start();
  answers.give(yes);
  expect(only()).toMatchObject({ ...yes, state: "sending" });
  await settle();
  answers.give({ runId: "run_b", toolCallId: "call_2", said: { result: { chosen: ["red"] } } });
  await settle();
  expect(requests).toEqual([
    {
      name: "runs.approve",
      params: { run_id: "run_a" },
      body: { tool_call_id: "call_1", approved: true },
    },
    {
      name: "runs.giveResult",
      params: { run_id: "run_b" },
      body: { tool_call_id: "call_2", result: { chosen: ["red"] } },
    },
  ]);
  expect(answers.all.get().map(({ state }) => state)).toEqual(["sent", "sent"]);
  expect(storage.keys("parlance.")).toEqual([]);
});

test("keeps an answer that could not be sent, and sends it when the connection is back", async () => {
  const down = () => networkError(new Error("down"));
  const { answers, requests, only } = start([down(), down(), down()]);
  answers.give(yes);
  await settle(10_000);
  expect(only()).toMatchObject({ state: "kept", failure: { code: "network" } });
  expect(requests).toHaveLength(3);
  answers.onReconnect();
  await settle();
  expect(only()).toMatchObject({ state: "sent" });
  expect(requests).toHaveLength(4);
});

test("sends a kept answer again after a reload", async () => {
  const storage = memoryStorage();
  const first = start([networkError(new Error("down")), networkError(new Error("down"))], storage);
  first.answers.give(yes);
  await settle();
  const second = start([], storage);
  expect(second.only()).toMatchObject({ ...yes, state: "sending" });
  await settle();
  expect(second.requests).toHaveLength(1);
});

test("shows why an answer was refused, reads the run again, and allows another answer", async () => {
  const late = new CallError(
    { code: "call-answered", serverMessage: "Answered.", retry: false },
    { status: 409 },
  );
  const { answers, refused, only, storage } = start([late]);
  answers.give(yes);
  await settle();
  expect(only()).toMatchObject({ state: "failed", failure: { code: "call-answered" } });
  expect(refused).toEqual(["run_a"]);
  expect(storage.keys("parlance.")).toEqual([]);
  answers.give({ ...yes, said: { approved: false } });
  await settle();
  expect(answers.all.get()).toMatchObject([{ said: { approved: false }, state: "sent" }]);
});

test("shows at once that too many runs are active, and sends the answer later", async () => {
  const full = () =>
    new CallError({ code: "too-many-runs", retry: true }, { status: 429, retryAfterMs: 5_000 });
  const { answers, requests, only } = start([full(), full()]);
  answers.give(yes);
  await settle();
  expect(only()).toMatchObject({ state: "kept", failure: { code: "too-many-runs" } });
  await settle(5_000);
  expect(requests).toHaveLength(2);
  expect(only()).toMatchObject({ state: "kept" });
  await settle(5_000);
  expect(only()).toMatchObject({ state: "sent" });
  expect(only()).not.toHaveProperty("failure");
});

test("sends the reason of a denial, and that a tool is always allowed", async () => {
  const { answers, requests } = start();
  answers.give({ ...yes, said: { approved: false, reason: "Not today." } });
  answers.give({ ...yes, toolCallId: "call_2", said: { approved: true, remember: "chat" } });
  await settle();
  expect(requests).toMatchObject([
    { body: { tool_call_id: "call_1", approved: false, reason: "Not today." } },
    { body: { tool_call_id: "call_2", approved: true, remember: "chat" } },
  ]);
});

test("has one timer per answer for later retries, however often the connection comes back", async () => {
  const { answers, requests, failures } = start();
  failures.push(...Array.from({ length: 100 }, () => networkError("down")));
  answers.give(yes);
  await settle(5_000);
  for (let i = 0; i < 4; i++) {
    answers.onReconnect();
    await settle(5_000);
  }
  requests.length = 0;
  await settle(60_000);
  // Rounds of three attempts, 30 s after the end of the last one.
  expect(requests).toHaveLength(6);
});
