import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { recordServiceTime, now } from "./service-clock.ts";

const real = new Date("2026-03-10T12:00:00Z");
const dayMs = 24 * 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.setSystemTime(real);
  recordServiceTime(real.toUTCString());
  vi.useRealTimers();
});

test.each([-dayMs, dayMs])("returns the server's time on a device whose clock is %d ms off", (offMs) => {
  vi.setSystemTime(real.getTime() + offMs);
  recordServiceTime(real.toUTCString());
  expect(now()).toEqual(real);
  vi.advanceTimersByTime(5_000);
  expect(now().getTime()).toBe(real.getTime() + 5_000);
});

test("ignores a difference of less than a minute, and a clock that was corrected", () => {
  vi.setSystemTime(real.getTime() + 40_000);
  recordServiceTime(real.toUTCString());
  expect(now().getTime()).toBe(real.getTime() + 40_000);
  vi.setSystemTime(real.getTime() + dayMs);
  recordServiceTime(real.toUTCString());
  vi.setSystemTime(real);
  recordServiceTime(real.toUTCString());
  expect(now()).toEqual(real);
});

test("ignores missing and invalid dates", () => {
  vi.setSystemTime(real);
  recordServiceTime(null);
  recordServiceTime("noon");
  expect(now()).toEqual(real);
});
