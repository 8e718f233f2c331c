import type { StoredPanel } from "#contract/endpoints/thread-panels.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { type Clock, isoTime } from "../../lib/clock.ts";
import type { Visitor } from "../../lib/route.ts";
import type { MoveHook } from "../claim.ts";
import type { Erased } from "../erase.ts";
import type { Threads } from "../threads.ts";
import * as rows from "./rows.ts";

export type ThreadPanels = {
  /** What the visitor's panel of the thread showed last. Throws `thread-not-found`. */
  get(visitor: Visitor, threadId: string): Promise<{ panel: StoredPanel | null; updated_at: string | null }>;
  /** Throws `thread-not-found` and `thread-temporary`. */
  set(visitor: Visitor, threadId: string, panel: StoredPanel | null): Promise<void>;
  move: MoveHook;
  erase(tx: Tx, who: Erased): Promise<void>;
};

/** What the panel beside a thread shows each person, for their other devices. */
export function createThreadPanels(options: {
  db: Database;
  clock: Clock;
  threads: Pick<Threads, "get" | "lockLasting">;
}): ThreadPanels {
  const { db, clock, threads } = options;
  return {
    async get(visitor, threadId) {
      await threads.get(visitor, threadId);
      const row = await rows.findPanel(db.read, threadId, visitor.userId);
      if (row === undefined) return { panel: null, updated_at: null };
      return {
        panel: row.panel === null ? null : (JSON.parse(row.panel) as StoredPanel),
        updated_at: isoTime(row.updated_at),
      };
    },

    async set(visitor, threadId, panel) {
      await db.write(async (tx) => {
        await threads.lockLasting(tx, visitor, threadId);
        await rows.savePanel(tx, {
          thread_id: threadId,
          user_id: visitor.userId,
          panel: panel === null ? null : JSON.stringify(panel),
          updated_at: clock.now(),
        });
      });
    },

    move: async (tx, { threadIds, from, to }) =>
      await rows.reassignPanels(tx, threadIds, from.userId, to.userId),
    erase: async (tx, { appId, userId }) => await rows.deletePanelsOf(tx, appId, userId),
  };
}
