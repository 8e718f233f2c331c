import { expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { createTickLength } from "./flush-interval.ts";

const { tickMs, tickMaxMs } = limits;

test("a tick is short as long as commits are", () => {
  const next = createTickLength();
  for (const tookMs of [2, 8, 3, 9, 2]) expect(next(tookMs)).toBe(tickMs);
});

test("one commit that was held up for however long is no reason for longer ticks", () => {
  const next = createTickLength();
  for (let commit = 0; commit < 20; commit++) next(4);
  for (const tookMs of [10_000, 4, 4]) expect(next(tookMs)).toBe(tickMs);
});

test("commits that stay slow stretch it to its maximum, and it shrinks again with them", () => {
  const next = createTickLength();
  let ms = 0;
  for (let commit = 0; commit < 40; commit++) ms = next(200);
  expect(ms).toBeGreaterThan(0.95 * tickMaxMs);
  expect(ms).toBeLessThanOrEqual(tickMaxMs);
  for (let commit = 0; commit < 40; commit++) ms = next(4);
  expect(ms).toBe(tickMs);
});
