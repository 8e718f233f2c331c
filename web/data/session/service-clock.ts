import { useSyncExternalStore } from "react";
import { createStore } from "#web/lib/store.ts";

/** 1 minute: what the way of an answer and honest clocks differ by is less. */
const honestMs = 60_000;

/** How far the service's clock is ahead of this device's, in milliseconds; 0 while they agree well enough. */
const ahead = createStore(0);

/** Hears the time that stands in an answer's head. Days are told by it: a device may be a day off and not know. */
export function hearServiceTime(date: string | null): void {
  const differMs = date === null ? Number.NaN : Date.parse(date) - Date.now();
  if (Number.isNaN(differMs)) return;
  // The last word counts while it says the same: an answer's way must not draw the page anew.
  if (Math.abs(differMs - ahead.get()) < honestMs) return;
  ahead.set(Math.abs(differMs) < honestMs ? 0 : differMs);
}

/** The moment that it is, as far as anyone can tell. */
export function now(): Date {
  return new Date(Date.now() + ahead.get());
}

/** Draws anew when it turns out how wrong this device's clock is. */
export function useClockDifference(): number {
  return useSyncExternalStore(ahead.subscribe, ahead.get);
}
