import { StorageBusyError } from "#storage/errors.ts";
import type { Clock } from "#server/lib/clock.ts";

const retryMs = 250;

/**
 * Repeats `read` while the database restarts or is locked, so that an answer in progress waits instead of failing.
 * Rejects with the signal's reason.
 */
export async function retryUntilAvailable<T>(
  read: () => Promise<T>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StorageBusyError)) throw error;
      await clock.sleep(retryMs, signal);
    }
  }
}
