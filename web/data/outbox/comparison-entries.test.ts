import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryStorage } from "#web/testing/memory-storage.ts";
import type { Call } from "../call.ts";
import { CallError, networkError } from "../call-error.ts";
import { messageEntry, type OutboxEntry } from "./outbox-entry.ts";
import { createOutbox } from "./outbox.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = async (ms = 0) => await vi.advanceTimersByTimeAsync(ms);

const entry = () =>
  messageEntry({
    threadId: "thread_a",
    newThread: true,
    parentId: null,
    content: { role: "user", content: [{ type: "text", text: "Which?" }] },
    compared: { models: ["p/one", "p/two"], isBlind: true },
    choice: {},
  });

/** A server that first fails with these errors. `requests` has the name and the body or parameters of each. */
function start(failures: Error[] = []) {
  const requests: [name: string, sent: object][] = [];
  const stored: OutboxEntry[] = [];
  const call = (async (name: string, input: { body?: { id: string }; params: object }) => {
    requests.push([name, input.body ?? input.params]);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    const answers = ["a", "b"].map((letter) => ({ reply_id: `msg_${letter}`, run_id: `run_${letter}` }));
    return name === "comparisons.start"
      ? { comparison: { message_id: "msg_q", answers } }
      : { run_id: input.body?.id, message_id: "msg_q", reply_id: "msg_r" };
  }) as unknown as Call;
  const storage = memoryStorage();
  const outbox = createOutbox({
    call,
    storage,
    stored: async (out) => void stored.push(out),
    random: () => 1,
  });
  return { outbox, requests, stored };
}

test("a message to several models is sent again under the same ids, and then shows the last answer", async () => {
  const { outbox, requests, stored } = start([networkError(new Error("offline"))]);
  const out = entry();
  outbox.add(out);
  await settle(60_000);
  expect(requests).toHaveLength(2);
  expect(requests[1]).toEqual(requests[0]);
  expect(requests[0]).toMatchObject([
    "comparisons.start",
    {
      id: out.comparison?.id,
      message: { id: out.message?.id, parent_id: null },
      models: ["p/one", "p/two"],
      is_blind: true,
    },
  ]);
  expect(stored).toMatchObject([{ replyId: "msg_b" }]);
  expect(outbox.all.get()).toEqual([]);
});

test("a stop before the server has the comparison stops all of its answers", async () => {
  const { outbox, requests } = start();
  const out = entry();
  outbox.add(out);
  await outbox.stop(out.runId);
  await settle();
  expect(requests.slice(1)).toEqual([
    ["runs.stop", { run_id: "run_a" }],
    ["runs.stop", { run_id: "run_b" }],
  ]);
});

test("the thread's model answers alone if one of the models was removed meanwhile", async () => {
  const gone = new CallError({ code: "model-not-found", serverMessage: "", retry: false }, { status: 404 });
  const { outbox, requests } = start([gone]);
  const out = entry();
  outbox.add(out);
  await settle();
  expect(requests.map(([name]) => name)).toEqual(["comparisons.start", "runs.start"]);
  expect(requests[1]![1]).toMatchObject({ id: out.runId, message: { id: out.message?.id } });
});
