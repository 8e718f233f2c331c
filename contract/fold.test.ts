import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyAnswer, anyEvent, runEnd, runStart } from "#tests/support/data/run-events.ts";
import { emptyReply, fold, foldOne } from "./fold.ts";
import type { RunEvent } from "./run-events.ts";
import { replyStatus } from "./reply-status.ts";

describe("a fold", () => {
  test("accepts any events in any order, and events out of place change nothing", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        let reply = foldOne(emptyReply, runStart);
        for (const event of events) {
          const before = JSON.stringify(reply);
          const next = foldOne(reply, event);
          // The earlier reply is unchanged.
          expect(JSON.stringify(reply)).toBe(before);
          reply = next;
        }
        expect(reply.parts.every((part) => part !== undefined)).toBe(true);
        expect(fold([runStart, ...events])).toEqual(reply);
      }),
    );
  });

  test("keeps unchanged parts identical, and the whole reply if nothing changed", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        let reply = foldOne(emptyReply, runStart);
        for (const event of events) {
          const next = foldOne(reply, event);
          const changed = next.parts.filter((part, index) => part !== reply.parts[index]);
          expect(changed.length).toBeLessThanOrEqual(1);
          if (event.type === "step-end" || event.type === "run-note") expect(next.parts).toBe(reply.parts);
          else if (changed.length === 0) expect(next).toBe(reply);
          reply = next;
        }
      }),
    );
  });

  test("is the same however the text was cut into events", () => {
    fc.assert(
      fc.property(anyAnswer, fc.infiniteStream(fc.nat({ max: 3 })), (events, cuts) => {
        const cutUp = events.flatMap((event): RunEvent[] => {
          if (event.type !== "text-delta" && event.type !== "reasoning-delta") return [event];
          const at = Math.min(cuts.next().value, event.text.length);
          return [event.text.slice(0, at), event.text.slice(at)].map((text) => ({ ...event, text }));
        });
        expect(fold(cutUp)).toEqual(fold(events));
      }),
    );
  });

  test("ignores events after the end", () => {
    fc.assert(
      fc.property(anyAnswer, fc.array(anyEvent), (events, later) => {
        expect(fold([...events, ...later, { ...runEnd, state: "failed" } as RunEvent])).toEqual(fold(events));
      }),
    );
  });

  test("continues from the reply so far", () => {
    const content = [{ type: "text" as const, text: "Once upon" }];
    const reply = fold([
      { ...runStart, content } as RunEvent,
      { type: "text-delta", part: 0, text: " a time" },
      { type: "text-start", part: 1 },
    ]);
    expect(reply.parts).toEqual([
      { type: "text", text: "Once upon a time" },
      { type: "text", text: "" },
    ]);
    expect(content).toEqual([{ type: "text", text: "Once upon" }]);
  });

  test("has a call's arguments once they are an object, and keeps other text as written", () => {
    const call = (args: string): RunEvent[] => [
      runStart,
      { type: "tool-call-start", part: 0, tool_call_id: "1", tool_name: "x", at: 5 },
      { type: "tool-call-delta", part: 0, args_text: args },
      { type: "tool-call-end", part: 0 },
    ];
    expect(fold(call('{"a":1}')).parts[0]).toMatchObject({ argsText: '{"a":1}', args: { a: 1 } });
    expect(fold(call("")).parts[0]).toMatchObject({ argsText: "", args: {} });
    for (const args of ["{", "[1]", "7", "null", '"x"']) {
      expect(fold(call(args)).parts[0]).toMatchObject({ argsText: args });
      expect(fold(call(args)).parts[0]).not.toHaveProperty("args");
    }
  });

  test("keeps results that are falsy", () => {
    for (const result of [false, 0, "", null]) {
      const start: RunEvent = { type: "tool-call-start", part: 0, tool_call_id: "1", tool_name: "x", at: 5 };
      const reply = fold([runStart, start, { type: "tool-call-result", part: 0, result, at: 9 }]);
      expect(reply.parts[0]).toMatchObject({ result, timing: { startedAt: 5, completedAt: 9 } });
    }
  });
});

test.for([
  [
    { state: "completed", finish_reason: "stop" },
    { type: "complete", reason: "stop", error_code: null },
  ],
  [
    { state: "completed", finish_reason: "other" },
    { type: "complete", reason: "stop", error_code: null },
  ],
  [
    { state: "completed", finish_reason: "length" },
    { type: "incomplete", reason: "length", error_code: null },
  ],
  [
    { state: "completed", finish_reason: "content-filter" },
    { type: "incomplete", reason: "content-filter", error_code: null },
  ],
  [
    { state: "cancelled", finish_reason: "other" },
    { type: "incomplete", reason: "cancelled", error_code: null },
  ],
  [
    { state: "interrupted", finish_reason: "other" },
    { type: "incomplete", reason: "interrupted", error_code: null },
  ],
  [
    { state: "failed", finish_reason: "error", error: { code: "provider-silent", message: "" } },
    { type: "incomplete", reason: "error", error_code: "provider-silent" },
  ],
  [
    { state: "failed", finish_reason: "error" },
    { type: "incomplete", reason: "error", error_code: "internal" },
  ],
] as const)("a reply that ended with %j has the status %j", ([end, status]) => {
  expect(replyStatus(fold([runStart, { ...runEnd, ...end }]))).toEqual(status);
  expect(replyStatus(fold([runStart]))).toEqual({ type: "running", reason: null, error_code: null });
});
