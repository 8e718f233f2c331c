import { setTimeout as sleepFor } from "node:timers/promises";
import type { SteadyClock } from "#server/lib/clock.ts";

/** A clock that runs in real time and that a test can advance. */
export type ManualClock = SteadyClock & {
  /** Advances the time by `ms` and ends the sleeps that are over by then. */
  advance(ms: number): void;
  /** Changes the system time by `ms`, as when a clock is set. No time passes. */
  moveWall(ms: number): void;
};

export function createManualClock(): ManualClock {
  let aheadMs = 0;
  let wallMs = 0;
  const sleepers = new Set<{ untilMs: number; wake: AbortController }>();
  const elapsedMs = (): number => performance.now() + aheadMs;
  return {
    now: () => Date.now() + aheadMs + wallMs,
    elapsedMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      const sleeper = { untilMs: elapsedMs() + ms, wake: new AbortController() };
      sleepers.add(sleeper);
      const either = AbortSignal.any([sleeper.wake.signal, ...(signal === undefined ? [] : [signal])]);
      try {
        await sleepFor(ms, undefined, { ref: false, signal: either });
      } catch (error) {
        if (signal?.aborted === true) throw signal.reason;
        if (!sleeper.wake.signal.aborted) throw error;
      } finally {
        sleepers.delete(sleeper);
      }
    },
    advance(ms) {
      aheadMs += ms;
      for (const sleeper of sleepers) if (sleeper.untilMs <= elapsedMs()) sleeper.wake.abort();
    },
    moveWall(ms) {
      wallMs += ms;
    },
  };
}
