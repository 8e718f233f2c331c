import type { SteadyClock } from "./clock.ts";
import { AppError } from "./errors.ts";

export type RateLimiter = {
  /** Consumes points of `key`. Throws `rate-limited` with the seconds to wait. */
  spend(key: string, points?: number): void;
};

/** Gives each key `points` for `seconds`, counted from its first use. In the memory of this process. */
export function createRateLimiter(options: {
  clock: Pick<SteadyClock, "elapsedMs">;
  points: number;
  seconds: number;
}): RateLimiter {
  const { clock, points: pointsMax, seconds } = options;
  const windows = new Map<string, { points: number; endMs: number }>();

  function windowOf(key: string, nowMs: number) {
    // All windows have the same length, so the oldest entries of the map end first.
    for (const [oldest, { endMs }] of windows) {
      if (endMs > nowMs) break;
      windows.delete(oldest);
    }
    const window = windows.get(key) ?? { points: 0, endMs: nowMs + seconds * 1_000 };
    windows.set(key, window);
    return window;
  }

  return {
    spend(key, points = 1) {
      const nowMs = clock.elapsedMs();
      const window = windowOf(key, nowMs);
      window.points += points;
      if (window.points > pointsMax)
        throw new AppError("rate-limited", { retryAfterSeconds: Math.ceil((window.endMs - nowMs) / 1_000) });
    },
  };
}
