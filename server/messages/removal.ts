import * as queueRows from "./queue/rows.ts";
import * as rows from "./rows.ts";
import { invalidateSummaries } from "./summaries/invalidate.ts";
import * as tree from "./tree-rows.ts";
import type { Change } from "#contract/changes.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../lib/route.ts";
import type { Threads } from "../threads/threads.ts";
import type { Row } from "#storage/database/tables.ts";

/** Deletes messages of a thread. */
export type Removal = {
  /**
   * Deletes those of `ids` that are in the thread. Their children move up to the closest ancestor that is kept. Messages
   * queued after a deleted reply move there too, and are deleted if no ancestor is kept. With `descendants`, everything
   * below that was created until `untilMs` is deleted as well. A user whose visible branch ended in a deleted message sees the rest of that branch.
   * Runs that write a deleted message are stopped. Throws `thread-not-found`, and `messages-not-found` if none of `ids`
   * is in the thread.
   */
  remove(
    visitor: Visitor,
    threadId: string,
    ids: string[],
    options: { descendants: boolean; untilMs?: number | undefined },
  ): Promise<void>;
};

export function createRemoval(options: {
  db: Database;
  threads: Threads;
  live: Live;
  clock: Clock;
  /** In the same transaction: requests the runs that write these replies to stop. */
  stopWriting: (tx: Tx, messageIds: string[], nowMs: number) => Promise<void>;
}): Removal {
  const { db, threads, live, clock } = options;

  return {
    async remove(visitor, threadId, ids, { descendants, untilMs = Infinity }) {
      await db.write(async (tx) => {
        const nowMs = clock.now();
        await threads.lock(tx, visitor, threadId);
        const subtree = await rows.findSubtree(tx, threadId, ids);
        if (subtree.length === 0) throw new AppError("messages-not-found");
        const named = new Set(ids);
        const plan = planRemoval(
          subtree,
          ({ id, created_at: createdAt }) => (descendants && createdAt <= untilMs) || named.has(id),
        );
        await options.stopWriting(tx, plan.deletedIds, nowMs);
        const cut = await findCutBranches(tx, threadId, plan);
        await invalidateSummaries(tx, live, { workspaceId: visitor.workspaceId, threadId }, plan.deletedIds);
        await rows.recordDeleted(tx, threadId, plan.deletedIds, nowMs);
        await rows.updateTreePositions(tx, threadId, plan.moved);
        const isQueueMoved = !descendants && (await moveQueue(tx, threadId, plan));
        await rows.deleteMessages(tx, threadId, plan.deletedIds);
        const heads = await moveHeads(tx, threadId, cut, nowMs);
        await live.announce(tx, visitor.workspaceId, [
          ...plan.moved
            .filter(({ isRelinked }) => isRelinked)
            .map(({ id, parentId }) => putOf(threadId, id, parentId)),
          { type: "messages-gone", thread_id: threadId, message_ids: plan.deletedIds },
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

/** A user's visible branch whose end is deleted, and its last message that is kept. */
type CutBranch = { userId: string; lastId: string };

/**
 * Must run before the deletion. Leaves out branches of which nothing is kept: their users see the thread's deepest
 * branch.
 */
async function findCutBranches(tx: Tx, threadId: string, plan: RemovalPlan): Promise<CutBranch[]> {
  const deleted = new Set(plan.deletedIds);
  const cut: CutBranch[] = [];
  for (const head of await rows.findHeadsAt(tx, threadId, plan.deletedIds)) {
    // The visible branch continues below the stored head if messages were added there.
    const endId = (await tree.findLeafBelow(tx.q, threadId, head.message_id)) ?? head.message_id;
    const lastId = deleted.has(endId) ? plan.keptAncestorOf(endId) : endId;
    if (lastId !== null) cut.push({ userId: head.user_id, lastId });
  }
  return cut;
}

/** Must run after the deletion. Gives each user the deepest branch below the last message that they still have. */
async function moveHeads(tx: Tx, threadId: string, cut: CutBranch[], nowMs: number): Promise<Change[]> {
  const moved: Change[] = [];
  for (const { userId, lastId } of cut) {
    const leaf = (await tree.findLeafBelow(tx.q, threadId, lastId)) ?? lastId;
    await rows.saveHead(tx, { thread_id: threadId, user_id: userId, message_id: leaf, updated_at: nowMs });
    moved.push({ type: "head-put", thread_id: threadId, user_id: userId, message_id: leaf });
  }
  return moved;
}

/** Moves messages queued after a deleted message to its closest kept ancestor. Returns whether any moved. */
async function moveQueue(tx: Tx, threadId: string, plan: RemovalPlan): Promise<boolean> {
  const parentIds = await queueRows.findParentsWithQueue(tx, threadId, plan.deletedIds);
  let isMoved = false;
  for (const parentId of parentIds) {
    const ancestorId = plan.keptAncestorOf(parentId);
    if (ancestorId === null) continue;
    await queueRows.moveAfter(tx, threadId, [parentId], ancestorId);
    isMoved = true;
  }
  return isMoved;
}

type Node = Pick<Row<"messages">, "id" | "parent_id" | "height" | "created_at">;

/** A message's new position in the tree. */
type MovedMessage = {
  id: string;
  parentId: string | null;
  height: number;
  /** Whether its parent changes. */
  isRelinked: boolean;
};

type RemovalPlan = {
  deletedIds: string[];
  /** All kept messages below a deleted one, in the order of `subtree`. */
  moved: MovedMessage[];
  /** The closest ancestor of this deleted message that is kept; `null` if there is none. */
  keptAncestorOf(deletedId: string): string | null;
};

/**
 * Plans how deleting some messages changes the tree: their children move up to the closest ancestor that is kept,
 * together with everything below them. `subtree` has the deleted messages and all their descendants, parents first.
 */
function planRemoval(subtree: readonly Node[], isGone: (node: Node) => boolean): RemovalPlan {
  // For each message, the parent that its children get: the message itself, or its kept ancestor if it is deleted.
  const places = new Map<string, { id: string | null; height: number }>();
  const goneIds: string[] = [];
  const moved: MovedMessage[] = [];
  for (const node of subtree) {
    const { id, parent_id: parentId, height } = node;
    const above = (parentId === null ? undefined : places.get(parentId)) ?? {
      id: parentId,
      height: height - 1,
    };
    if (isGone(node)) {
      goneIds.push(id);
      places.set(id, above);
    } else {
      const place = { id, height: above.height + 1 };
      places.set(id, place);
      moved.push({ ...place, parentId: above.id, isRelinked: above.id !== parentId });
    }
  }
  return { deletedIds: goneIds, moved, keptAncestorOf: (deletedId) => places.get(deletedId)?.id ?? null };
}
