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

/** Draws the next frame of a display with 60 Hz. Layout and painting take `paintMs`. */
function draw(paintMs: number): void {
  nowMs = Math.ceil((nowMs + 1) / frameMs) * frameMs;
  for (const one of frames.splice(0)) one(nowMs);
  nowMs += paintMs;
  for (const work of afterPaint.splice(0)) work();
}

/**
 * Asks for each next frame, as a streaming answer does, and draws `count` frames. Returns before which frames it was
 * called, and with which wait.
 */
function calledBefore(paintMs: number, count: number): (number | undefined)[] {
  let called: number | undefined;
  let isAsking = true;
  const ask = () =>
    onNextFrame((_, untilNextMs) => {
      called = Math.round(untilNextMs);
      if (isAsking) ask();
    });
  ask();
  const calls = Array.from({ length: count }, () => {
    const before = called;
    called = undefined;
    draw(paintMs);
    return before;
  });
  isAsking = false;
  while (frames.length > 0) draw(paintMs);
  return calls;
}

test("renders before every frame while these are short, and before every second one while they take long", () => {
  expect(calledBefore(2, 4)).toEqual([17, 17, 17, 17]);
  expect(calledBefore(6, 6)).toEqual([17, undefined, 33, undefined, 33, undefined]);
  expect(calledBefore(2, 4)).toEqual([undefined, 33, 17, 17]);
});

test("renders at once after a pause, but on a slow device only when a frame is painted", () => {
  const render = vi.fn();
  onNextFrame(render);
  expect(render).toHaveBeenCalledTimes(1);
  draw(6);
  onNextFrame(render);
  expect(render).toHaveBeenCalledTimes(1);
  draw(2);
  expect(render).toHaveBeenCalledTimes(2);
  draw(2);
});

test("renders at once what is urgent, and what that asks for with the next frame", () => {
  const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()];
  onNextFrame(() => onNextFrame(first), true);
  onNextFrame(second, true);
  expect(second).toHaveBeenCalledOnce();
  expect(first).not.toHaveBeenCalled();
  draw(6);
  // Slow from here on: a free frame comes first.
  draw(6);
  expect(first).toHaveBeenCalledOnce();
  draw(6);
  onNextFrame(third, true);
  expect(third).toHaveBeenCalledOnce();
  draw(2);
});

test("renders what is asked for before the same frame together", () => {
  const [first, second] = [vi.fn(), vi.fn()];
  onNextFrame(() => {});
  onNextFrame(first);
  onNextFrame(second);
  expect(first).not.toHaveBeenCalled();
  draw(2);
  expect(first).toHaveBeenCalledOnce();
  expect(second).toHaveBeenCalledOnce();
  draw(2);
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
