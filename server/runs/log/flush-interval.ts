import { limits } from "#contract/limits.ts";

/** The part of the time that commits may take, so that models and readers have the rest: many runs make larger ticks. */
const commitShare = 0.2;
/** How long commits take is seen over about so many of them. */
const usualOver = 8;

/**
 * How long the writer's next tick is, in milliseconds, by how long its commits have taken. What lasts counts: one commit
 * that the disk held up, for however long, says little of the next.
 */
export function createTickLength(): (tookMs: number) => number {
  let usualMs = 0;
  return (tookMs) => {
    usualMs += (Math.min(tookMs, limits.tickMaxMs * commitShare) - usualMs) / usualOver;
    return Math.max(limits.tickMs, usualMs / commitShare);
  };
}
