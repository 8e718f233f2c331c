import * as fc from "fast-check";
import { runNoteKinds, type RunEvent } from "#contract/run-events.ts";

/** Text of any UTF-16 units, with many surrogate halves. */
export const anyUnits: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom("a", "\ud83d", "\ude00", "😀", "\u0000", "é"),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((units) => units.join(""));

const part = fc.nat({ max: 3 });

/** Any event between a run's start and its end, also in the wrong place. */
export const anyEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  fc.record({
    type: fc.constantFrom(
      "text-start" as const,
      "text-end" as const,
      "reasoning-start" as const,
      "tool-call-end" as const,
    ),
    part,
  }),
  fc.record({
    type: fc.constantFrom("text-delta" as const, "reasoning-delta" as const),
    part,
    text: anyUnits,
  }),
  fc.record({ type: fc.constant("reasoning-end" as const), part, duration_ms: fc.nat() }),
  fc.record({
    type: fc.constant("tool-call-start" as const),
    part,
    tool_call_id: fc.constantFrom("a", "b"),
    tool_name: fc.constant("x"),
    at: fc.nat(),
  }),
  fc.record({
    type: fc.constant("tool-call-delta" as const),
    part,
    args_text: fc.constantFrom("{", '"a":1', "}", "\ud83d", "\ude00"),
  }),
  fc.record({
    type: fc.constant("tool-call-result" as const),
    part,
    result: fc.jsonValue() as fc.Arbitrary<never>,
    at: fc.nat(),
  }),
  fc.constant({ type: "step-end" as const, usage: {} }),
  fc.record({
    type: fc.constant("run-note" as const),
    note: fc.record({ kind: fc.constantFrom(...runNoteKinds), name: anyUnits }),
  }),
);

export const runStart: RunEvent = { type: "run-start", reply_id: "msg_0", model: "m", content: [] };
export const runEnd: RunEvent = { type: "run-end", state: "completed", finish_reason: "stop", usage: {} };

/** The events of an answer as models stream them: one part after another, each with a start, deltas and an end. */
export const anyAnswer: fc.Arbitrary<RunEvent[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom("text" as const, "reasoning" as const),
      texts: fc.array(anyUnits, { maxLength: 6 }),
    }),
    { maxLength: 4 },
  )
  .map((parts) => [
    runStart,
    ...parts.flatMap(({ kind, texts }, index): RunEvent[] => [
      { type: `${kind}-start`, part: index },
      ...texts.map((text): RunEvent => ({ type: `${kind}-delta`, part: index, text })),
      kind === "text"
        ? { type: "text-end", part: index }
        : { type: "reasoning-end", part: index, duration_ms: 1 },
    ]),
    runEnd,
  ]);
