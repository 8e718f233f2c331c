import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hearServiceTime, now } from "./service-clock.ts";

const real = new Date("2026-03-10T12:00:00Z");
const dayMs = 24 * 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.setSystemTime(real);
  hearServiceTime(real.toUTCString());
  vi.useRealTimers();
});

test.each([-dayMs, dayMs])("tells the service's time on a device whose clock is %d ms off", (offMs) => {
  vi.setSystemTime(real.getTime() + offMs);
  hearServiceTime(real.toUTCString());
  expect(now()).toEqual(real);
  vi.advanceTimersByTime(5_000);
  expect(now().getTime()).toBe(real.getTime() + 5_000);
});

test("leaves a clock alone that differs by less than a minute, and one that was put right", () => {
  vi.setSystemTime(real.getTime() + 40_000);
  hearServiceTime(real.toUTCString());
  expect(now().getTime()).toBe(real.getTime() + 40_000);
  vi.setSystemTime(real.getTime() + dayMs);
  hearServiceTime(real.toUTCString());
  vi.setSystemTime(real);
  hearServiceTime(real.toUTCString());
  expect(now()).toEqual(real);
});

test("takes no word for a time that is none", () => {
  vi.setSystemTime(real);
  hearServiceTime(null);
  hearServiceTime("noon");
  expect(now()).toEqual(real);
});
