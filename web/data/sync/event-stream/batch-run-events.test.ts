import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RunEvent } from "#contract/run-events.ts";
import { batchRunEvents } from "./batch-run-events.ts";
import type { FromHub } from "./tab-messages.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const delta: RunEvent = { type: "text-delta", part: 0, text: "a" };
const end: RunEvent = { type: "run-end", state: "completed", finish_reason: "stop", usage: {} };

test("joins a run's events that follow each other fast, in order, and delays neither the first nor the end", async () => {
  const posted: string[] = [];
  const send = batchRunEvents((message) =>
    posted.push(
      message.type === "run-events"
        ? `${message.runId} ${message.events.map(({ seq }) => seq).join(",")}`
        : message.type,
    ),
  );
  const event = (runId: string, seq: number, what: RunEvent = delta): FromHub => ({
    type: "run-events",
    runId,
    events: [{ seq, event: what }],
  });
  send(event("a", 1));
  send(event("a", 2));
  await Promise.resolve();
  expect(posted).toEqual(["a 1,2"]);
  send(event("a", 3));
  send(event("a", 4));
  await Promise.resolve();
  expect(posted).toEqual(["a 1,2"]);
  vi.advanceTimersByTime(16);
  expect(posted).toEqual(["a 1,2", "a 3,4"]);
  send(event("a", 5));
  send({ type: "alive" });
  send(event("a", 6));
  send(event("b", 1));
  send(event("b", 2, end));
  expect(posted.slice(2)).toEqual(["a 5", "alive", "a 6", "b 1,2"]);
  vi.advanceTimersByTime(16);
  send(event("b", 3));
  await Promise.resolve();
  expect(posted.at(-1)).toBe("b 3");
});
