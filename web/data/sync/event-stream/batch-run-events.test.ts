import { expect, test } from "vitest";
import { batchRunEvents } from "./batch-run-events.ts";
import type { FromHub } from "./tab-messages.ts";

test("joins a run's events that arrive together, and keeps the order of all messages", async () => {
  const posted: string[] = [];
  const send = batchRunEvents((message) =>
    posted.push(
      message.type === "run-events"
        ? `${message.runId} ${message.events.map(({ seq }) => seq).join(",")}`
        : message.type,
    ),
  );
  const event = (runId: string, seq: number): FromHub => ({
    type: "run-events",
    runId,
    events: [{ seq, event: { type: "text-delta", part: 0, text: "a" } }],
  });
  send(event("a", 1));
  send(event("a", 2));
  await Promise.resolve();
  expect(posted).toEqual(["a 1,2"]);
  send(event("a", 3));
  await Promise.resolve();
  expect(posted.slice(1)).toEqual(["a 3"]);
  send(event("a", 4));
  send({ type: "alive" });
  send(event("a", 5));
  send(event("b", 1));
  send(event("b", 2));
  await Promise.resolve();
  expect(posted.slice(2)).toEqual(["a 4", "alive", "a 5", "b 1,2"]);
});
