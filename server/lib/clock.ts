import { setTimeout as sleepFor } from "node:timers/promises";

/** The wall clock, as a dependency that tests replace. */
export type Clock = {
  /** Milliseconds since 1970. Can jump by hours (time server, operator, wake from sleep). */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. Does not keep the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

/** A clock that also measures durations, independent of changes to the wall clock. */
export type SteadyClock = Clock & {
  /** Monotonic milliseconds since an arbitrary moment. */
  elapsedMs(): number;
};

/** A time as in responses, in ISO 8601. */
export function isoTime<Time extends number | null>(ms: Time): Time extends number ? string : null {
  return (ms === null ? null : new Date(ms).toISOString()) as ReturnType<typeof isoTime<Time>>;
}

export const systemClock: SteadyClock = {
  now: () => Date.now(),
  elapsedMs: () => performance.now(),
  async sleep(ms, signal) {
    await sleepFor(ms, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) });
  },
};
