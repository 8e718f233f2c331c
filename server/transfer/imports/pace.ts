import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { SteadyClock } from "#server/lib/clock.ts";

/** An import pauses half as long as it works: enough for the processor and the disk to catch up, and it still ends in time. */
const pauseShare = 0.5;
/** Most threads take a few milliseconds. A large one is not paused for longer. */
const pauseMsMax = 100;

/** Waits after `workedMs` of an import's work. */
export type Pace = (workedMs: number, signal: AbortSignal) => Promise<void>;

/**
 * Lets others go first between two threads of an import: what is waiting always, and longer while answers are streaming.
 * Without it, a preview of many threads would hold the event loop until it ends, because nothing in it waits for the disk.
 */
export function createPace({ clock, isStreaming }: { clock: SteadyClock; isStreaming: () => boolean }): Pace {
  return async (workedMs, signal) => {
    if (isStreaming()) await clock.sleep(Math.min(workedMs * pauseShare, pauseMsMax), signal);
    else await yieldToEventLoop();
  };
}
