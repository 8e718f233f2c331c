import { useSyncExternalStore } from "react";
import { createStore } from "#web/lib/store.ts";

/** 1 minute: network delay and correct clocks differ by less. */
const toleranceMs = 60_000;

/** The server's clock minus this device's, in milliseconds; 0 if the difference is within the tolerance. */
const difference = createStore(0);

/** The last measured difference, also within the tolerance. Not a store: every response changes it a little. */
let lastMeasuredMs = 0;

/** Takes the `Date` header of a response. Dates are shown by the server's clock: a device can be wrong by a day. */
export function recordServiceTime(date: string | null): void {
  const measuredMs = date === null ? Number.NaN : Date.parse(date) - Date.now();
  if (Number.isNaN(measuredMs)) return;
  lastMeasuredMs = measuredMs;
  // Ignore small changes: a different network delay must not render the page again.
  if (Math.abs(measuredMs - difference.get()) < toleranceMs) return;
  difference.set(Math.abs(measuredMs) < toleranceMs ? 0 : measuredMs);
}

/** The current time by the server's clock. */
export function now(): Date {
  return new Date(Date.now() + difference.get());
}

/** The current time by the server's clock, to about a second, in milliseconds since 1970. For countdowns. */
export function serviceNowMs(): number {
  return Date.now() + lastMeasuredMs;
}

/** The difference of the clocks; the component renders again when it changes. */
export function useClockDifference(): number {
  return useSyncExternalStore(difference.subscribe, difference.get);
}
