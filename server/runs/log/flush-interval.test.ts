import { expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { createFlushInterval } from "./writer.ts";

const { flushIntervalMs, flushIntervalMaxMs } = limits;

test("the interval is short while commits are fast", () => {
  const next = createFlushInterval();
  for (const commitMs of [2, 8, 3, 9, 2]) expect(next(commitMs)).toBe(flushIntervalMs);
});

test("one slow commit does not lengthen the interval", () => {
  const next = createFlushInterval();
  for (let commit = 0; commit < 20; commit++) next(4);
  for (const commitMs of [10_000, 4, 4]) expect(next(commitMs)).toBe(flushIntervalMs);
});

test("the interval grows to its maximum while commits stay slow, and shrinks again", () => {
  const next = createFlushInterval();
  let ms = 0;
  for (let commit = 0; commit < 40; commit++) ms = next(200);
  expect(ms).toBeGreaterThan(0.95 * flushIntervalMaxMs);
  expect(ms).toBeLessThanOrEqual(flushIntervalMaxMs);
  for (let commit = 0; commit < 40; commit++) ms = next(4);
  expect(ms).toBe(flushIntervalMs);
});
