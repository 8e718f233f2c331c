import type { Change } from "#contract/changes.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../lib/route.ts";
import type { Threads } from "../threads/threads.ts";
import * as queueRows from "./queue-rows.ts";
import { planRemoval, type RemovalPlan } from "./removal-plan.ts";
import * as rows from "./rows.ts";
import * as tree from "./tree-rows.ts";

/** Deleting messages of a thread. */
export type Removal = {
  /**
   * Deletes those of `ids` that are in the thread. Their children move up to the closest message above that stays, and
   * with them what waits for its turn behind a deleted reply; where nothing above stays, what waits is deleted too.
   * With `descendants`, everything below goes as well. People who were shown a branch that ended in a deleted message
   * are shown what is left of it. Runs that write a deleted message are stopped. Throws `thread-not-found`, and
   * `messages-not-found` where none of `ids` is in the thread.
   */
  remove(visitor: Visitor, threadId: string, ids: string[], options: { descendants: boolean }): Promise<void>;
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

  return {
    async remove(visitor, threadId, ids, { descendants }) {
      await db.write(async (tx) => {
        const nowMs = clock.now();
        await threads.hold(tx, visitor, threadId);
        const subtree = await rows.findWithAllBelow(tx, threadId, ids);
        if (subtree.length === 0) throw new AppError("messages-not-found");
        const named = new Set(ids);
        const plan = planRemoval(subtree, (id) => descendants || named.has(id));
        await options.stopWriting(tx, plan.goneIds, nowMs);
        const cut = await findCutBranches(tx, threadId, plan);
        await rows.rememberGone(tx, threadId, plan.goneIds, nowMs);
        await rows.moveInTree(tx, threadId, plan.moved);
        const isQueueMoved = !descendants && (await moveQueue(tx, threadId, plan));
        await rows.deleteMessages(tx, threadId, plan.goneIds);
        const heads = await moveHeads(tx, threadId, cut, nowMs);
        await live.announce(tx, visitor.workspaceId, [
          ...plan.moved
            .filter(({ isRelinked }) => isRelinked)
            .map(({ id, parentId }) => putOf(threadId, id, parentId)),
          { type: "messages-gone", thread_id: threadId, message_ids: plan.goneIds },
          ...heads,
          ...(isQueueMoved ? [{ type: "queue-put" as const, thread_id: threadId }] : []),
        ]);
      });
    },
  };
}

function putOf(threadId: string, messageId: string, parentId: string | null): Change {
  return { type: "message-put", thread_id: threadId, message_id: messageId, parent_id: parentId };
}

/** A branch whose kept end is deleted: to whom it is shown, and its last message that stays. */
type CutBranch = { userId: string; lastId: string };

/** Before the deletion. A branch of which nothing stays is left out: its person is shown the thread's deepest branch. */
async function findCutBranches(tx: Tx, threadId: string, plan: RemovalPlan): Promise<CutBranch[]> {
  const gone = new Set(plan.goneIds);
  const cut: CutBranch[] = [];
  for (const head of await rows.findHeadsAt(tx, threadId, plan.goneIds)) {
    // Others may have gone on below the kept end: that is what is shown.
    const endId = (await tree.leafBelow(tx.q, threadId, head.message_id)) ?? head.message_id;
    const lastId = gone.has(endId) ? plan.aboveOf(endId) : endId;
    if (lastId !== null) cut.push({ userId: head.user_id, lastId });
  }
  return cut;
}

/** After the deletion: shows each person the newest branch that goes on where theirs was cut. */
async function moveHeads(tx: Tx, threadId: string, cut: CutBranch[], nowMs: number): Promise<Change[]> {
  const moved: Change[] = [];
  for (const { userId, lastId } of cut) {
    const leaf = (await tree.leafBelow(tx.q, threadId, lastId)) ?? lastId;
    await rows.putHead(tx, { thread_id: threadId, user_id: userId, message_id: leaf, updated_at: nowMs });
    moved.push({ type: "head-put", thread_id: threadId, user_id: userId, message_id: leaf });
  }
  return moved;
}

/** Lets what waits behind a deleted message wait behind the one above it. Answers whether anything moved. */
async function moveQueue(tx: Tx, threadId: string, plan: RemovalPlan): Promise<boolean> {
  const parentIds = await queueRows.findParents(tx, threadId, plan.goneIds);
  let isMoved = false;
  for (const parentId of parentIds) {
    const aboveId = plan.aboveOf(parentId);
    if (aboveId === null) continue;
    await queueRows.moveBehind(tx, threadId, [parentId], aboveId);
    isMoved = true;
  }
  return isMoved;
}
