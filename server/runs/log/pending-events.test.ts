import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { anyAnswer, anyEvent, runEnd, runStart } from "#tests/support/run-events.ts";
import { createPending } from "./pending-events.ts";

const delta = (text: string, part = 0): RunEvent => ({ type: "text-delta", part, text });

/** Adds the events one by one, taking what is there wherever `takes` says so, and at the end. */
function through(events: RunEvent[], takes: Iterator<boolean>): RunEvent[] {
  const pending = createPending();
  const taken: RunEvent[] = [];
  for (const event of events) {
    pending.add(event);
    if (takes.next().value === true) taken.push(...pending.take());
  }
  return [...taken, ...pending.take()];
}

function splitsPair(a: RunEvent, b: RunEvent | undefined): boolean {
  if (a.type !== "text-delta" || b?.type !== "text-delta" || a.part !== b.part) return false;
  return /[\uD800-\uDBFF]$/.test(a.text) && /^[\uDC00-\uDFFF]/.test(b.text);
}

describe("events that wait for a commit", () => {
  test("fold to the same, wherever they are taken", () => {
    fc.assert(
      fc.property(anyAnswer, fc.infiniteStream(fc.boolean()), (events, takes) => {
        expect(fold(through(events, takes))).toEqual(fold(events));
      }),
    );
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), fc.infiniteStream(fc.boolean()), (events, takes) => {
        const all = [runStart, ...events, runEnd];
        expect(fold(through(all, takes))).toEqual(fold(all));
      }),
    );
  });

  test("never have a surrogate pair in two of them", () => {
    fc.assert(
      fc.property(anyAnswer, fc.infiniteStream(fc.boolean()), (events, takes) => {
        const taken = through(events, takes);
        taken.forEach((event, index) => expect(splitsPair(event, taken[index + 1])).toBe(false));
      }),
    );
  });

  test("are as few as they can be", () => {
    fc.assert(
      fc.property(anyAnswer, (events) => {
        const taken = through(events, fc.sample(fc.infiniteStream(fc.constant(false)), 1)[0]!);
        const kinds = taken.map((event) => `${event.type} ${"part" in event ? event.part : ""}`);
        kinds.forEach((kind, index) =>
          expect(kind.includes("-delta") && kind === kinds[index + 1]).toBe(false),
        );
      }),
    );
  });

  test("half a pair waits for its other half, alone, and is not counted as something to take", () => {
    const pending = createPending();
    pending.add(delta("a\ud83d"));
    expect(pending.size).toBe(1);
    expect(pending.take()).toEqual([delta("a")]);
    expect([pending.size, pending.take()]).toEqual([0, []]);
    pending.add(delta("\ude00b"));
    expect([pending.size, pending.take()]).toEqual([1, [delta("😀b")]]);
  });

  test("half a pair whose other half never comes is not lost", () => {
    const pending = createPending();
    pending.add(delta("\ud83d"));
    expect(pending.take()).toEqual([]);
    pending.add({ type: "text-end", part: 0 });
    expect(pending.take()).toEqual([delta("\ud83d"), { type: "text-end", part: 0 }]);
  });

  test("count the text that waits", () => {
    const pending = createPending();
    for (const event of [
      delta("four"),
      delta("five!"),
      delta("six", 1),
      { type: "tool-call-delta", part: 2, args_text: "{}" } as RunEvent,
    ])
      pending.add(event);
    expect(pending.length).toBe(14);
    pending.take();
    expect(pending.length).toBe(0);
    pending.add(delta("x", 3));
    expect(pending.length).toBe(1);
  });
});
