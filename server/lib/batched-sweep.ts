import type { Clock } from "./clock.ts";

/** Between two batches: an answer that is being written has its turn, also where there is one writer only. */
const pauseMs = 50;

/**
 * Carries out `batch`, which clears away at most `size` things and answers how many, until little is left or `signal`
 * aborts. Answers how many went.
 */
export async function sweep(
  batch: () => Promise<number>,
  { size, clock, signal }: { size: number; clock: Clock; signal: AbortSignal },
): Promise<number> {
  let swept = 0;
  while (!signal.aborted) {
    const count = await batch();
    swept += count;
    if (count < size) break;
    await clock.sleep(pauseMs, signal).catch(() => {});
  }
  return swept;
}
