import fc from "fast-check";
import { expect, test } from "vitest";
import type { Reply } from "#contract/fold.ts";
import { createPace, nextLength } from "./pace.ts";

const frameMs = 1_000 / 60;
const replyOf = (text: string): Reply => ({ parts: [{ type: "text", text }] });
const shownOf = ({ parts }: Reply) => (parts[0]?.type === "text" ? parts[0].text : "");

/** Shows a text that grows by `burst` characters every `pauseMs`. Returns the visible length in each frame. */
function lengths(pace: ReturnType<typeof createPace>, { burst = 60, pauseMs = 50, frames = 60 } = {}) {
  return Array.from({ length: frames }, (_, frame) => {
    const arrived = burst * (1 + Math.floor((frame * frameMs) / pauseMs));
    return { arrived, shown: shownOf(pace.next(replyOf("x".repeat(arrived)), frame * frameMs)).length };
  });
}

test("shows the first text at once", () => {
  const pace = createPace(() => true);
  pace.next({ parts: [] }, 0);
  expect(shownOf(pace.next(replyOf("Hello"), 20))).toBe("Hello");
});

test("reveals bursts evenly, each before the next one arrives", () => {
  const shown = lengths(
    createPace(() => true),
    { burst: 60, pauseMs: 100 },
  ).slice(12);
  const steps = shown.slice(1).map((frame, i) => frame.shown - (shown[i]?.shown ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(20);
  for (const [i, { arrived }] of shown.entries())
    if (arrived !== shown[i + 1]?.arrived && i + 1 < shown.length) expect(shown[i]?.shown).toBe(arrived);
});

test("shows a burst within 100 ms even if the model pauses for long", () => {
  const shown = lengths(
    createPace(() => true),
    { burst: 400, pauseMs: 2_000, frames: 600 },
  );
  const late = shown.filter(
    (frame, i) => frame.shown < frame.arrived && shown[i - 7]?.arrived === frame.arrived,
  );
  expect(late).toEqual([]);
});

test("shows a burst at once when frames are so long that it could not be spread", () => {
  const pace = createPace(() => true);
  for (let nowMs = 0; nowMs < 2_000; nowMs += 33) {
    const reply = replyOf("x".repeat(60 * (1 + Math.floor(nowMs / 50))));
    expect(pace.next(reply, nowMs, 33)).toBe(reply);
  }
});

test("shows everything when the answer ends", () => {
  const pace = createPace(() => true);
  lengths(pace);
  const end = { state: "completed", finishReason: "stop", usage: {} } as const;
  const ended = { ...replyOf("x".repeat(9_000)), end };
  expect(pace.next(ended, 1_001)).toBe(ended);
});

test("shows everything at once when it is off", () => {
  for (const { shown, arrived } of lengths(createPace(() => false))) expect(shown).toBe(arrived);
});

test("shows the blocks that calls become at once, and reveals what the model writes below", () => {
  const call = {
    type: "tool-call",
    toolCallId: "c",
    toolName: "artifact",
    argsText: "",
    result: {},
  } as const;
  const block = { type: "text", text: `\`\`\`html\n${"x".repeat(9_000)}` } as const;
  const words = { type: "text", text: "x".repeat(9_000) } as const;
  const isWhole = (...parts: Reply["parts"]) => {
    const pace = createPace(() => true);
    lengths(pace);
    return pace.next({ parts }, 1_001).parts.at(-1) === parts.at(-1);
  };
  expect(isWhole(words, call, block)).toBe(true);
  expect(isWhole(words, call, call, block, block)).toBe(true);
  expect(isWhole(words, call, words)).toBe(false);
  expect(isWhole(words, call, block, words)).toBe(false);
  expect(isWhole(block)).toBe(false);
});

test("shows earlier parts whole, and returns other parts as they are", () => {
  const pace = createPace(() => true);
  lengths(pace);
  const parts = [{ type: "text", text: "x".repeat(9_000) } as const, { type: "text", text: "new" } as const];
  expect(pace.next({ parts }, 1_001).parts[0]).toBe(parts[0]);
  const reply: Reply = { parts: [...parts, { type: "reasoning", text: "hm" }] };
  expect(pace.next(reply, 1_010)).toBe(reply);
});

test("always advances, never past the end, and never shows half a character", () => {
  const texts = fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(texts, fc.double({ min: 0, max: 20, noNaN: true }), (text, framesLeft) => {
      let shown = 0;
      while (shown < text.length) {
        const next = nextLength(text, shown, framesLeft);
        expect(next).toBeGreaterThan(shown);
        expect(next).toBeLessThanOrEqual(text.length);
        expect(text.slice(0, next).isWellFormed()).toBe(text.isWellFormed());
        shown = next;
      }
    }),
  );
});
