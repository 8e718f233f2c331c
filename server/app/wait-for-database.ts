import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnreachableError } from "#storage/lib/errors.ts";
import type { Logger } from "../lib/logger.ts";

const retryMs = 1_000;

/** How often the log says what the server waits for. */
const logIntervalMs = 10_000;

/**
 * Opens the database, and tries again for `waitMs` while PostgreSQL is unreachable, such as while it starts. The
 * waiting keeps the process alive.
 */
export async function waitForDatabase<T>(
  open: () => Promise<T>,
  { waitMs, logger }: { waitMs: number; logger: Logger },
): Promise<T> {
  const endMs = performance.now() + waitMs;
  let loggedMs = -Infinity;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const nowMs = performance.now();
      if (!(error instanceof DatabaseUnreachableError) || nowMs >= endMs) throw error;
      if (nowMs - loggedMs >= logIntervalMs) {
        loggedMs = nowMs;
        const leftSeconds = Math.ceil((endMs - nowMs) / 1_000);
        logger.warn(`${error.message} Waiting for PostgreSQL, at most ${leftSeconds} s.`);
      }
      await sleep(Math.min(retryMs, endMs - nowMs));
    }
  }
}
