import { limits } from "#contract/limits.ts";
import type { SteadyClock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { createRateLimiter, type RateLimiter } from "../../lib/rate-limit.ts";

/** Who asked for a rendering: the link, and the address of the reader unless a live view goes on by itself. */
export type RenderCaller = { shareId: string; limitKey: string | undefined };

export type RenderBudgets = ReturnType<typeof createRenderBudgets>;

/** The time of rendering that each link and each address has per minute. In the memory of this process. */
export function createRenderBudgets(
  clock: Pick<SteadyClock, "elapsedMs">,
  msPerMinute: number = limits.shareRenderMsPerMinute,
) {
  const newLimiter = () => createRateLimiter({ clock, points: msPerMinute, seconds: 60 });
  const [links, addresses] = [newLimiter(), newLimiter()];

  const budgetsOf = ({ shareId, limitKey }: RenderCaller): [RateLimiter, string][] => [
    [links, shareId],
    ...(limitKey === undefined ? [] : [[addresses, limitKey] as [RateLimiter, string]]),
  ];

  return {
    /** Throws `rate-limited` if a budget is used up. */
    assertLeft(caller: RenderCaller): void {
      for (const [limiter, key] of budgetsOf(caller)) limiter.spend(key, 0);
    },

    /** Counts time that was spent. Returns whether all budgets have some left. */
    spend(caller: RenderCaller, elapsedMs: number): boolean {
      let isLeft = true;
      for (const [limiter, key] of budgetsOf(caller))
        try {
          limiter.spend(key, Math.ceil(elapsedMs));
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          isLeft = false;
        }
      return isLeft;
    },
  };
}
