import { limits } from "#contract/limits.ts";

/** The share of time that commits may use. Models and readers need the rest, so slower commits have longer intervals. */
const commitShare = 0.2;
/** The average is over about this many commits. */
const averageOver = 8;

/**
 * Computes the writer's next flush interval in milliseconds from the duration of its commits. A single slow commit hardly
 * changes it, because it says little about the next one.
 */
export function createFlushInterval(): (commitMs: number) => number {
  let averageMs = 0;
  return (commitMs) => {
    averageMs += (Math.min(commitMs, limits.flushIntervalMaxMs * commitShare) - averageMs) / averageOver;
    return Math.max(limits.flushIntervalMs, averageMs / commitShare);
  };
}
