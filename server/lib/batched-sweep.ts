import type { Clock } from "./clock.ts";

/** Between two batches, so that other writes get a turn in a database with one writer. */
const pauseMs = 50;

/**
 * Repeats `batch`, which deletes at most `size` items and returns their number, until a batch is not full or `signal`
 * aborts. Returns the total.
 */
export async function sweep(
  batch: () => Promise<number>,
  { size, clock, signal }: { size: number; clock: Clock; signal: AbortSignal },
): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const count = await batch();
    total += count;
    if (count < size) break;
    await clock.sleep(pauseMs, signal).catch(() => {});
  }
  return total;
}
