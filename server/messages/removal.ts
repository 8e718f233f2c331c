import type { Change } from "#contract/changes.ts";
import type { Database, Tx } from "#storage/sql/database.ts";
import type { Clock } from "../clock.ts";
import { AppError } from "../errors.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../route.ts";
import type { Threads } from "../threads/threads.ts";
import * as rows from "./rows.ts";
import * as tree from "./tree-rows.ts";

/** Messages that are deleted by their people. */
export type Removal = {
  /**
   * Deletes those of `ids` that are in the thread, and all that hangs below them. Who was shown a branch that ended in
   * one of them is shown what is left of it. Throws `thread-not-found`, and `messages-not-found` where none is there.
   */
  remove(visitor: Visitor, threadId: string, ids: string[]): Promise<void>;
};

export function createRemoval(options: {
  db: Database;
  threads: Threads;
  live: Live;
  clock: Clock;
  /** In the same transaction: asks the runs that are writing these replies to stop. */
  stopWriting: (tx: Tx, messageIds: string[], nowMs: number) => Promise<void>;
}): Removal {
  const { db, threads, live, clock } = options;

  /** Shows to each person whose branch ended in what is gone the newest branch that goes on where theirs was cut. */
  async function moveHeads(
    tx: Tx,
    threadId: string,
    heads: rows.Head[],
    gone: tree.Child[],
    nowMs: number,
  ): Promise<Change[]> {
    const parents = new Map(gone.map(({ id, parent_id: parentId }) => [id, parentId]));
    const moved: Change[] = [];
    for (const { user_id: userId, message_id: headId } of heads) {
      let left: string | null | undefined = headId;
      while (typeof left === "string" && parents.has(left)) left = parents.get(left);
      const leaf = typeof left === "string" ? await tree.leafBelow(tx.q, threadId, left) : undefined;
      if (leaf === undefined) continue;
      await rows.putHead(tx, { thread_id: threadId, user_id: userId, message_id: leaf, updated_at: nowMs });
      moved.push({ type: "head-put", thread_id: threadId, user_id: userId, message_id: leaf });
    }
    return moved;
  }

  return {
    async remove(visitor, threadId, ids) {
      await db.write(async (tx) => {
        const nowMs = clock.now();
        await threads.hold(tx, visitor, threadId);
        const gone = await rows.findWithAllBelow(tx, threadId, ids);
        if (gone.length === 0) throw new AppError("messages-not-found");
        const goneIds = gone.map(({ id }) => id);
        await options.stopWriting(tx, goneIds, nowMs);
        const heads = await rows.findHeadsAt(tx, threadId, goneIds);
        await rows.rememberGone(tx, threadId, goneIds, nowMs);
        await rows.deleteMessages(tx, threadId, goneIds);
        const moved = await moveHeads(tx, threadId, heads, gone, nowMs);
        await live.announce(tx, visitor.workspaceId, [
          { type: "messages-gone", thread_id: threadId, message_ids: goneIds },
          ...moved,
        ]);
      });
    },
  };
}
