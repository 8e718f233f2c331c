import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { anyAnswer, anyEvent, runEnd, runStart } from "#tests/support/data/run-events.ts";
import { createPendingEvents } from "./pending-events.ts";

const delta = (text: string, part = 0): RunEvent => ({ type: "text-delta", part, text });

/** Adds the events one by one. Takes the pending events whenever `takes` is true, and at the end. */
function addAndTake(events: RunEvent[], takes: Iterator<boolean>): RunEvent[] {
  const pending = createPendingEvents();
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
  test("fold to the same reply, whenever they are taken", () => {
    fc.assert(
      fc.property(anyAnswer, fc.infiniteStream(fc.boolean()), (events, takes) => {
        expect(fold(addAndTake(events, takes))).toEqual(fold(events));
      }),
    );
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), fc.infiniteStream(fc.boolean()), (events, takes) => {
        const all = [runStart, ...events, runEnd];
        expect(fold(addAndTake(all, takes))).toEqual(fold(all));
      }),
    );
  });

  test("never split a surrogate pair", () => {
    fc.assert(
      fc.property(anyAnswer, fc.infiniteStream(fc.boolean()), (events, takes) => {
        const taken = addAndTake(events, takes);
        taken.forEach((event, index) => expect(splitsPair(event, taken[index + 1])).toBe(false));
      }),
    );
  });

  test("join all consecutive deltas", () => {
    fc.assert(
      fc.property(anyAnswer, (events) => {
        const taken = addAndTake(events, fc.sample(fc.infiniteStream(fc.constant(false)), 1)[0]!);
        const kinds = taken.map((event) => `${event.type} ${"part" in event ? event.part : ""}`);
        kinds.forEach((kind, index) =>
          expect(kind.includes("-delta") && kind === kinds[index + 1]).toBe(false),
        );
      }),
    );
  });

  test("keep half a surrogate pair until its other half is added, and do not count it", () => {
    const pending = createPendingEvents();
    pending.add(delta("a\ud83d"));
    expect(pending.size).toBe(1);
    expect(pending.take()).toEqual([delta("a")]);
    expect([pending.size, pending.take()]).toEqual([0, []]);
    pending.add(delta("\ude00b"));
    expect([pending.size, pending.take()]).toEqual([1, [delta("😀b")]]);
  });

  test("keep half a surrogate pair whose other half is never added", () => {
    const pending = createPendingEvents();
    pending.add(delta("\ud83d"));
    expect(pending.take()).toEqual([]);
    pending.add({ type: "text-end", part: 0 });
    expect(pending.take()).toEqual([delta("\ud83d"), { type: "text-end", part: 0 }]);
  });

  test("count the pending text", () => {
    const pending = createPendingEvents();
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
