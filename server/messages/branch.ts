import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { Branch } from "#contract/endpoints/messages.ts";
import type { FeedbackType } from "#contract/endpoints/scores.ts";
import type { Database } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { Tables } from "#storage/database/tables.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Mentions } from "../files/mentions.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../lib/route.ts";
import type { Threads } from "../threads/threads.ts";
import { makersOfRows, type MakersOf } from "./authors.ts";
import { presentBranchMessage } from "./present.ts";
import type { Queue } from "./queue.ts";
import { shownHead } from "./visible-head.ts";
import * as rows from "./rows.ts";
import * as tree from "./tree-rows.ts";

/** The branch of a thread that is shown to a person, and which it is. */
export type Branches = {
  /**
   * A page of the visible branch, or of the one that goes through `query.head`. Throws `thread-not-found` and, for a
   * head or a `before` that is not in the thread, `message-not-found`.
   */
  read(visitor: Visitor, threadId: string, query: QueryOf<"messages.branch">): Promise<Branch>;
  /**
   * Makes a branch through `messageId` the visible one, for this person, and returns the id of its last message. A branch
   * that is visible already stays. Throws `thread-not-found` and `message-not-found`.
   */
  show(visitor: Visitor, threadId: string, messageId: string): Promise<string>;
};

/** Which of these messages a person rated, and how. */
export type ThumbsOf = (userId: string, messageIds: string[]) => Promise<ReadonlyMap<string, FeedbackType>>;

export function createBranches(options: {
  db: Database;
  threads: Threads;
  live: Live;
  clock: Clock;
  queue: Pick<Queue, "list">;
  thumbsOf: ThumbsOf;
  makersOf: MakersOf;
  mentions: Pick<Mentions, "shown">;
}): Branches {
  const { db, threads, live, clock, queue, thumbsOf, makersOf, mentions } = options;

  async function leafBelow(q: Kysely<Tables>, threadId: string, messageId: string): Promise<string> {
    const leaf = await tree.leafBelow(q, threadId, messageId);
    if (leaf === undefined) throw new AppError("message-not-found");
    return leaf;
  }

  async function siblingsOf(
    threadId: string,
    page: rows.MessageRow[],
  ): Promise<Map<string | null, string[]>> {
    const parents = [...new Set(page.map((row) => row.parent_id))];
    const children = parents.length === 0 ? [] : await tree.childrenOf(db.read, threadId, parents);
    const byParent = new Map<string | null, string[]>();
    for (const child of children)
      byParent.set(child.parent_id, [...(byParent.get(child.parent_id) ?? []), child.id]);
    return byParent;
  }

  return {
    async read(visitor, threadId, query) {
      await threads.get(visitor, threadId);
      // Before the messages: what is sent meanwhile is in both, and known by its id. The other way it could be in neither.
      const waiting = await queue.list(threadId);
      const headId =
        query.head === undefined
          ? await shownHead(db.read, threadId, visitor.userId)
          : await leafBelow(db.read, threadId, query.head);
      let from = headId;
      if (query.before !== undefined) {
        const below = await rows.findMessage(db.read, threadId, query.before);
        if (below === undefined) throw new AppError("message-not-found");
        from = below.parent_id ?? undefined;
      }
      const limit = query.limit ?? limits.branchPage;
      const measured =
        from === undefined
          ? { fitting: 0, steps: 0 }
          : await tree.measureUp(db.read, threadId, from, limit + 1, limits.pageCharacters);
      const size = Math.min(limit, measured.fitting);
      const page = from === undefined ? [] : (await tree.walkUp(db.read, threadId, from, size)).toReversed();
      const siblings = await siblingsOf(threadId, page);
      const thumbs = await thumbsOf(
        visitor.userId,
        page.map((row) => row.id),
      );
      const makers = await makersOfRows(makersOf, visitor.projectId, page);
      const shown = await mentions.shown({ engine: db.engine, q: db.read }, page);
      return {
        thread_id: threadId,
        head_id: headId ?? null,
        messages: page.map((row) => {
          const ids = siblings.get(row.parent_id) ?? [];
          return presentBranchMessage(
            row,
            ids.length > 1 ? ids : [],
            thumbs.get(row.id),
            makers.get(row.id),
            shown,
          );
        }),
        has_more: measured.steps > size,
        queue: waiting,
      };
    },

    async show(visitor, threadId, messageId) {
      return await db.write(async (tx) => {
        // With the thread locked, so that a concurrent deletion cannot remove the message before its head is stored.
        await threads.hold(tx, visitor, threadId);
        const shown = await shownHead(tx.q, threadId, visitor.userId);
        // If the visible branch goes through this message, it stays the visible one.
        const stays = shown !== undefined && (await tree.isAbove(tx.q, threadId, messageId, shown));
        const headId = stays ? shown : await leafBelow(tx.q, threadId, messageId);
        await rows.putHead(tx, {
          thread_id: threadId,
          user_id: visitor.userId,
          message_id: headId,
          updated_at: clock.now(),
        });
        await live.announce(tx, visitor.workspaceId, [
          { type: "head-put", thread_id: threadId, user_id: visitor.userId, message_id: headId },
        ]);
        return headId;
      });
    },
  };
}
