import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import { presentThread } from "./present.ts";
import * as rows from "./rows.ts";
import type { ThreadScope } from "./thread-scope.ts";

/** Threads that one transaction deletes permanently. */
const batch = 20;

/** Deleted threads, until they are restored, deleted permanently, or 30 days old. */
export type Trash = {
  /** Most recently deleted first. Throws `bad-cursor`. */
  list(place: ThreadScope, query: QueryOf<"trash.list">): Promise<Thread[]>;
  /** Permanently deletes a thread in the trash. Throws `thread-not-found` for one that is not there. */
  remove(place: ThreadScope, id: string): Promise<void>;
  /** Permanently deletes all threads in this workspace's trash. Returns their number. */
  empty(place: ThreadScope): Promise<number>;
  /** Permanently deletes threads that have been in any trash for 30 days. Returns their number. */
  expire(): Promise<number>;
};

export function createTrash({ db, live, clock }: { db: Database; live: Live; clock: Clock }): Trash {
  async function purge(which: rows.TrashFilter): Promise<number> {
    let total = 0;
    for (;;) {
      const count = await db.write(async (tx) => {
        const purged = await rows.purgeThreads(tx, which, batch);
        for (const { id, workspace_id } of purged)
          await live.announce(tx, workspace_id, [{ type: "thread-gone", thread_id: id }]);
        return purged.length;
      });
      total += count;
      if (count < batch) return total;
    }
  }

  return {
    async list({ workspaceId }, { after, limit = limits.threadPage }) {
      const from = after === undefined ? undefined : await rows.findThread(db.read, workspaceId, after);
      // A thread that was restored in the meantime has no position in the trash.
      if (after !== undefined && (from === undefined || from.deleted_at === null))
        throw new AppError("bad-cursor");
      const position = from === undefined ? undefined : { deletedAt: from.deleted_at ?? 0, id: from.id };
      return (await rows.listTrash(db, workspaceId, position, limit)).map((row) => presentThread(row));
    },

    async remove({ workspaceId }, id) {
      if ((await purge({ workspaceId, id })) === 0) throw new AppError("thread-not-found");
    },

    empty: async ({ workspaceId }) => await purge({ workspaceId }),
    expire: async () => await purge({ beforeMs: clock.now() - limits.trashMs }),
  };
}
