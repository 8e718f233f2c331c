import type { Clock } from "../lib/clock.ts";
import { ExtractionError, ExtractionLimitError } from "./extraction-error.ts";

/**
 * Remembers failed extractions, so that not every request repeats them. A file that exceeded a limit is retried with a
 * growing delay, because the machine may have been busy. After three tries it counts as too large.
 */
export type FailureBackoff = {
  /** Runs `work` and throws its error. During the delay it throws the previous error without running `work`. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
};

const firstMs = 60_000;
const longestMs = 3_600_000;
const triesMax = 3;
/** The oldest failures beyond this number are forgotten. */
const failuresMax = 1_000;

export function createFailureBackoff(clock: Pick<Clock, "now">): FailureBackoff {
  const failures = new Map<string, { error: ExtractionError; tries: number; until: number }>();

  function remember(key: string, error: ExtractionError): ExtractionError {
    const tries = (failures.get(key)?.tries ?? 0) + 1;
    const isTemporary = error instanceof ExtractionLimitError;
    const remembered =
      isTemporary && tries >= triesMax ? new ExtractionError("too-large", { cause: error }) : error;
    const ms = isTemporary && tries < triesMax ? firstMs * 2 ** (tries - 1) : longestMs;
    failures.delete(key);
    failures.set(key, { error: remembered, tries, until: clock.now() + ms });
    const [oldest] = failures.keys();
    if (failures.size > failuresMax) failures.delete(oldest!);
    return remembered;
  }

  return {
    async run(key, work) {
      const before = failures.get(key);
      if (before !== undefined && before.until > clock.now()) throw before.error;
      try {
        const result = await work();
        failures.delete(key);
        return result;
      } catch (error) {
        // A busy queue or an unavailable store is not the file's failure.
        const isOfFile =
          error instanceof ExtractionError &&
          (error.reason !== "away" || error instanceof ExtractionLimitError);
        throw isOfFile ? remember(key, error) : error;
      }
    },
  };
}
