import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import { presentThread } from "./present.ts";
import * as rows from "./rows.ts";
import type { Place } from "./threads.ts";

/** Threads that go for good in one transaction. */
const batch = 20;

/** Deleted threads, until they are brought back, deleted for good, or 30 days old. */
export type Trash = {
  /** Last thrown away first. Throws `bad-cursor`. */
  list(place: Place, query: QueryOf<"trash.list">): Promise<Thread[]>;
  /** Deletes a thread of the trash for good. Throws `thread-not-found` for one that is not in it. */
  remove(place: Place, id: string): Promise<void>;
  /** Deletes everything in this workspace's trash for good. Answers how many threads went. */
  empty(place: Place): Promise<number>;
  /** Deletes for good what has lain in any trash for 30 days. Answers how many went. */
  expire(): Promise<number>;
};

export function createTrash({ db, live, clock }: { db: Database; live: Live; clock: Clock }): Trash {
  async function purge(which: rows.InTrash): Promise<number> {
    let all = 0;
    for (;;) {
      const gone = await db.write(async (tx) => {
        const purged = await rows.purgeThreads(tx, which, batch);
        for (const { id, workspace_id } of purged)
          await live.announce(tx, workspace_id, [{ type: "thread-gone", thread_id: id }]);
        return purged.length;
      });
      all += gone;
      if (gone < batch) return all;
    }
  }

  return {
    async list({ workspaceId }, { after, limit = limits.threadPage }) {
      const from = after === undefined ? undefined : await rows.findThread(db.read, workspaceId, after);
      // One that was brought back in the meantime has no place here any more.
      if (after !== undefined && (from === undefined || from.deleted_at === null))
        throw new AppError("bad-cursor");
      const position = from === undefined ? undefined : { deletedAt: from.deleted_at ?? 0, id: from.id };
      return (await rows.listTrash(db, workspaceId, position, limit)).map(presentThread);
    },

    async remove({ workspaceId }, id) {
      if ((await purge({ workspaceId, id })) === 0) throw new AppError("thread-not-found");
    },

    empty: async ({ workspaceId }) => await purge({ workspaceId }),
    expire: async () => await purge({ beforeMs: clock.now() - limits.trashMs }),
  };
}
