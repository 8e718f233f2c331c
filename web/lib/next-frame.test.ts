import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onNextFrame } from "./next-frame.ts";

let frames: ((nowMs: number) => void)[];
let afterPaint: (() => void)[];
let nowMs = 0;
const frameMs = 1_000 / 60;

beforeEach(() => {
  [frames, afterPaint] = [[], []];
  vi.stubGlobal("document", { visibilityState: "visible" });
  vi.stubGlobal("performance", { now: () => nowMs });
  vi.stubGlobal("requestAnimationFrame", (draw: (nowMs: number) => void) => frames.push(draw));
  vi.stubGlobal(
    "MessageChannel",
    class {
      port1 = { addEventListener: (_: string, work: () => void) => afterPaint.push(work), start() {} };
      port2 = { postMessage() {} };
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

/** Draws the next frame of a display with 60 Hz, which is painted after `paintMs`. */
function draw(paintMs: number): void {
  nowMs = Math.ceil((nowMs + 1) / frameMs) * frameMs;
  const atMs = nowMs;
  for (const one of frames.splice(0)) one(atMs);
  nowMs += paintMs;
  for (const work of afterPaint.splice(0)) work();
}

/** Asks for each next frame, as a streaming answer does. Returns in which frames it was called, and with which wait. */
function calledIn(paintMs: number, count: number): (number | undefined)[] {
  let called: number | undefined;
  const ask = () =>
    onNextFrame((_, untilNextMs) => {
      called = Math.round(untilNextMs);
      ask();
    });
  ask();
  const calls = Array.from({ length: count }, () => {
    called = undefined;
    draw(paintMs);
    return called;
  });
  frames = [];
  return calls;
}

test("renders in every frame while frames are short, and in every second one while they take long", () => {
  expect(calledIn(2, 4)).toEqual([17, 17, 17, 17]);
  expect(calledIn(12, 6)).toEqual([17, undefined, 33, undefined, 33, undefined]);
  expect(calledIn(2, 4)).toEqual([33, 17, 17, 17]);
});

test("renders in the next frame after a pause, however long the last one took", () => {
  calledIn(12, 1);
  nowMs += 100;
  expect(calledIn(2, 2)).toEqual([33, 17]);
});

test("waits for a timer in a hidden page, which has no frames", () => {
  vi.useFakeTimers();
  try {
    vi.stubGlobal("document", { visibilityState: "hidden" });
    const render = vi.fn();
    onNextFrame(render);
    vi.advanceTimersByTime(250);
    expect(render).toHaveBeenCalledOnce();
    expect(frames).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});
