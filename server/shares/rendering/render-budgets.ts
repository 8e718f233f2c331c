import { limits } from "#contract/limits.ts";
import type { SteadyClock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { createRateLimiter } from "../../lib/rate-limit.ts";

/** Who asked for a rendering: the link, and the address of the reader unless a live view goes on by itself. */
export type RenderCaller = { shareId: string; limitKey: string | undefined };

export type RenderBudgets = ReturnType<typeof createRenderBudgets>;

/** The time of rendering that each link and each address has per minute. In the memory of this process. */
export function createRenderBudgets(clock: Pick<SteadyClock, "elapsedMs">) {
  const newLimiter = () =>
    createRateLimiter({ clock, points: limits.shareRenderMsPerMinute, seconds: 60 });
  const [links, addresses] = [newLimiter(), newLimiter()];

  function spend({ shareId, limitKey }: RenderCaller, elapsedMs: number): void {
    links.spend(shareId, elapsedMs);
    if (limitKey !== undefined) addresses.spend(limitKey, elapsedMs);
  }

  return {
    /** Throws `rate-limited` if a budget is used up. */
    assertLeft: (caller: RenderCaller): void => spend(caller, 0),

    /** Counts time that was spent. Returns whether both budgets have some left. */
    spend(caller: RenderCaller, elapsedMs: number): boolean {
      try {
        spend(caller, Math.ceil(elapsedMs));
        return true;
      } catch (error) {
        if (error instanceof AppError) return false;
        throw error;
      }
    },
  };
}
