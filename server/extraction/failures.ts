import type { Clock } from "../lib/clock.ts";
import { ExhaustedError, FaultError } from "./office/fault.ts";

/**
 * Remembers what could not be made of a file, so that not every question waits for it to fail once more. What was too
 * much is tried again after a while, for the machine may have been busy; what is too much each time is too large.
 */
export type Failures = {
  /** What `make` answers. Throws what it throws, or at once what it threw before. */
  unlessFailed<T>(key: string, make: () => Promise<T>): Promise<T>;
};

const firstMs = 60_000;
const longestMs = 3_600_000;
/** So often what is too much is tried before it counts as too large. */
const triesMax = 3;
/** The oldest of more are forgotten. */
const rememberedMax = 1_000;

export function createFailures(clock: Pick<Clock, "now">): Failures {
  const failed = new Map<string, { error: FaultError; tries: number; until: number }>();

  function remember(key: string, error: FaultError): FaultError {
    const tries = (failed.get(key)?.tries ?? 0) + 1;
    const isTransient = error instanceof ExhaustedError;
    const known = isTransient && tries >= triesMax ? new FaultError("too-large", { cause: error }) : error;
    const ms = isTransient && tries < triesMax ? firstMs * 2 ** (tries - 1) : longestMs;
    failed.delete(key);
    failed.set(key, { error: known, tries, until: clock.now() + ms });
    const [oldest] = failed.keys();
    if (failed.size > rememberedMax) failed.delete(oldest!);
    return known;
  }

  return {
    async unlessFailed(key, make) {
      const before = failed.get(key);
      if (before !== undefined && before.until > clock.now()) throw before.error;
      try {
        const made = await make();
        failed.delete(key);
        return made;
      } catch (error) {
        // What is busy now may be free in a moment.
        const isOfTheFile =
          error instanceof FaultError && (error.reason !== "away" || error instanceof ExhaustedError);
        throw isOfTheFile ? remember(key, error) : error;
      }
    },
  };
}
