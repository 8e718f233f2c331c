import { afterEach, expect, test, vi } from "vitest";
import { nextAttempt, nextTime } from "./schedule.ts";

afterEach(() => vi.unstubAllEnvs());

const next = (time: string, now: string) => new Date(nextTime(time, Date.parse(now))).toISOString();

test("the next time of day is today or tomorrow", () => {
  vi.stubEnv("TZ", "UTC");
  expect(next("03:15", "2026-01-31T03:14:59Z")).toBe("2026-01-31T03:15:00.000Z");
  expect(next("03:15", "2026-01-31T03:15:00Z")).toBe("2026-02-01T03:15:00.000Z");
});

test("clocks that change do not skip or repeat a day", () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  // At 02:00 it becomes 03:00, so there is no 02:30.
  expect(next("02:30", "2026-03-29T00:00:00Z")).toBe("2026-03-29T01:30:00.000Z");
  expect(next("02:30", "2026-03-29T01:30:00Z")).toBe("2026-03-30T00:30:00.000Z");
  // 02:30 comes twice: the first one counts.
  expect(next("02:30", "2026-10-24T22:00:00Z")).toBe("2026-10-25T00:30:00.000Z");
  expect(next("02:30", "2026-10-25T00:30:00Z")).toBe("2026-10-26T01:30:00.000Z");
});

test("after a failure it is tried again earlier, with growing pauses", () => {
  vi.stubEnv("TZ", "UTC");
  const now = Date.parse("2026-01-31T12:00:00Z");
  const minutes = [1, 2, 3, 4].map((failures) => (nextAttempt("03:15", failures, now) - now) / 60_000);
  expect(minutes).toEqual([10, 60, 360, 15 * 60 + 15]);
});
