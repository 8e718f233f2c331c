import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAnswers } from "./tool-answers.ts";
import type { Call } from "../call.ts";
import { CallError, networkError } from "../call-error.ts";
import { createSafeStorage, type SafeStorage } from "../drafts/safe-storage.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const yes = { runId: "run_a", toolCallId: "call_1", said: { approved: true } };
const settle = async (ms = 0) => await vi.advanceTimersByTimeAsync(ms);

function inMemory(): SafeStorage {
  return createSafeStorage(() => {
    throw new Error("none");
  });
}

/** A service that fails as it is told, and else takes the answer. */
function begun(failures: Error[] = [], storage = inMemory()) {
  const asked: unknown[] = [];
  const refused: string[] = [];
  const call = (async (name: string, wanted: object) => {
    asked.push({ name, ...wanted });
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return {};
  }) as unknown as Call;
  const answers = createAnswers({ call, storage, refused: (runId) => refused.push(runId), random: () => 1 });
  return { answers, asked, refused, storage, failures, only: () => answers.all.get()[0] };
}

test("tells the service what was decided and what was answered, once", async () => {
  const { answers, asked, only, storage } = begun();
  answers.give(yes);
  expect(only()).toMatchObject({ ...yes, state: "sending" });
  await settle();
  answers.give({ runId: "run_b", toolCallId: "call_2", said: { result: { chosen: ["red"] } } });
  await settle();
  expect(asked).toEqual([
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

test("keeps what could not be sent, and sends it when the line is back", async () => {
  const down = () => networkError(new Error("down"));
  const { answers, asked, only } = begun([down(), down(), down()]);
  answers.give(yes);
  await settle(10_000);
  expect(only()).toMatchObject({ state: "kept", failure: { code: "network" } });
  expect(asked).toHaveLength(3);
  answers.lineIsBack();
  await settle();
  expect(only()).toMatchObject({ state: "sent" });
  expect(asked).toHaveLength(4);
});

test("outlives a reload", async () => {
  const storage = inMemory();
  const first = begun([networkError(new Error("down")), networkError(new Error("down"))], storage);
  first.answers.give(yes);
  await settle();
  const second = begun([], storage);
  expect(second.only()).toMatchObject({ ...yes, state: "sending" });
  await settle();
  expect(second.asked).toHaveLength(1);
});

test("says why it was refused, reads the run anew, and may be said otherwise", async () => {
  const late = new CallError({ code: "call-answered", said: "Answered.", retry: false }, { status: 409 });
  const { answers, refused, only, storage } = begun([late]);
  answers.give(yes);
  await settle();
  expect(only()).toMatchObject({ state: "failed", failure: { code: "call-answered" } });
  expect(refused).toEqual(["run_a"]);
  expect(storage.keys("parlance.")).toEqual([]);
  answers.give({ ...yes, said: { approved: false } });
  await settle();
  expect(answers.all.get()).toMatchObject([{ said: { approved: false }, state: "sent" }]);
});

test("says at once that there is no room to go on, and is sent when there is", async () => {
  const full = () =>
    new CallError({ code: "too-many-runs", retry: true }, { status: 429, retryAfterMs: 5_000 });
  const { answers, asked, only } = begun([full(), full()]);
  answers.give(yes);
  await settle();
  expect(only()).toMatchObject({ state: "kept", failure: { code: "too-many-runs" } });
  await settle(5_000);
  expect(asked).toHaveLength(2);
  expect(only()).toMatchObject({ state: "kept" });
  await settle(5_000);
  expect(only()).toMatchObject({ state: "sent" });
  expect(only()).not.toHaveProperty("failure");
});

test("tells the service why a call is not allowed, and that a tool is always", async () => {
  const { answers, asked } = begun();
  answers.give({ ...yes, said: { approved: false, reason: "Not today." } });
  answers.give({ ...yes, toolCallId: "call_2", said: { approved: true, always: true } });
  await settle();
  expect(asked).toMatchObject([
    { body: { tool_call_id: "call_1", approved: false, reason: "Not today." } },
    { body: { tool_call_id: "call_2", approved: true, always: true } },
  ]);
});
