import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Live } from "../live/live.ts";
import * as rows from "./temporary-rows.ts";

/**
 * Erases what other modules store of a thread and what is not deleted with its row. Returns false if that must wait, because
 * an answer is still being written and was asked to stop.
 */
export type ThreadEraser = (tx: Tx, threadId: string, nowMs: number) => Promise<boolean>;

/** Threads that one call erases. */
const batch = 50;

export type TemporaryThreads = ReturnType<typeof createTemporaryThreads>;

/** Erases temporary threads whose time has come, with everything in them. Usage stays counted. */
export function createTemporaryThreads(options: {
  db: Database;
  live: Live;
  clock: Clock;
  logger: Logger;
  erasers: readonly ThreadEraser[];
}) {
  const { db, live, clock, logger, erasers } = options;

  /** A failure is logged, and does not stop the next thread from being erased. The next call tries again. */
  async function erase(id: string): Promise<void> {
    try {
      await db.write(async (tx) => {
        const nowMs = clock.now();
        const thread = await rows.lockDue(tx, id, nowMs);
        if (thread === undefined) return;
        if (thread.deleted_at === null) await rows.markDeleted(tx, id, nowMs);
        for (const eraser of erasers) if (!(await eraser(tx, id, nowMs))) return;
        await rows.deleteThread(tx, id);
        await live.announce(tx, thread.workspace_id, [{ type: "thread-gone", thread_id: id }]);
      });
    } catch (error) {
      logger.error(
        { err: error, threadId: id },
        "a temporary thread could not be erased; trying again later",
      );
    }
  }

  return {
    /** Erases this thread if it is due. */
    erase,

    /** What is due when this is called; the rest follows with the next call. */
    async eraseDue(): Promise<void> {
      for (const id of await rows.findDue(db, clock.now(), batch)) await erase(id);
    },
  };
}
