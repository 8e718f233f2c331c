import { StorageBusyError } from "#storage/errors.ts";
import type { Clock } from "#server/lib/clock.ts";

/** A database that is away is asked again this often. */
const retryMs = 250;

/**
 * What `read` answers, once the database is there to be read: while it restarts, or is locked, an answer under way
 * waits instead of failing. Rejects with the signal's reason.
 */
export async function onceBack<T>(
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
