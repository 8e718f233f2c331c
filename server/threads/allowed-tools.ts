import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { allowedToolsOf } from "./present.ts";
import * as rows from "./rows.ts";
import type { Place, Threads } from "./threads.ts";

/**
 * Tools that need not ask in a thread any more, by their names. A person allows them for themselves: what moves to
 * another workspace asks again.
 */
export type AllowedTools = {
  /** In another room's transaction, and holds the thread. Throws `thread-not-found`. */
  allow(tx: Tx, place: Place, threadId: string, toolName: string): Promise<void>;
  /** From the next call on it asks again, also in an answer that is being written. Throws `thread-not-found`. */
  askAgain(place: Place, threadId: string, toolName: string): Promise<void>;
  /** The tools of a thread of any workspace; none where it is gone. */
  of(threadId: string): Promise<string[]>;
};

export function createAllowedTools(options: {
  db: Database;
  clock: Clock;
  threads: Pick<Threads, "hold" | "announce">;
}): AllowedTools {
  const { db, clock, threads } = options;

  async function change(tx: Tx, place: Place, threadId: string, next: (names: string[]) => string[]) {
    await threads.hold(tx, place, threadId);
    const row = await rows.findThreadAnywhere(tx, threadId);
    if (row === undefined) return;
    const before = allowedToolsOf(row);
    const after = next(before);
    if (after.length === before.length) return;
    await rows.changeThread(tx, threadId, {
      allowed_tools: after.length === 0 ? null : JSON.stringify(after),
      updated_at: clock.now(),
    });
    await threads.announce(tx, place, threadId);
  }

  return {
    async allow(tx, place, threadId, toolName) {
      await change(tx, place, threadId, (names) => [...new Set([...names, toolName])]);
    },
    async askAgain(place, threadId, toolName) {
      await db.write(
        async (tx) => await change(tx, place, threadId, (names) => names.filter((name) => name !== toolName)),
      );
    },
    async of(threadId) {
      const row = await rows.findAllowedTools(db, threadId);
      return row === undefined ? [] : allowedToolsOf(row);
    },
  };
}
