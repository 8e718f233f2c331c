import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { Branch, BranchMessage } from "#contract/endpoints/messages.ts";
import type { Summary } from "#contract/endpoints/summaries.ts";
import type { Feedback } from "#contract/endpoints/scores.ts";
import type { Database } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { Tables } from "#storage/database/tables.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { createYielder } from "../lib/concurrency/yield-to-event-loop.ts";
import { memberUrls, type FileReferences } from "../files/file-references.ts";
import { withoutOtherThreads } from "../parts/other-threads.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../lib/route.ts";
import type { Threads } from "../threads/threads.ts";
import { askersOf, authorsOfRows, type AuthorsOf } from "./authors.ts";
import { findLeases } from "./client-leases/rows.ts";
import { presentBranchMessage } from "./present.ts";
import type { Queue } from "./queue/queue.ts";
import { findVisibleHead } from "./visible-head.ts";
import * as rows from "./rows.ts";
import { isInUse, presentSummary } from "./summaries/present.ts";
import { listSummaries } from "./summaries/rows.ts";
import * as tree from "./tree-rows.ts";

/** Reads and selects the branch of a thread that a user sees. */
export type Branches = {
  /**
   * A page of the visible branch, or of the one through `query.head`. Throws `thread-not-found`, and
   * `message-not-found` if `query.head`, `query.before` or `query.last` is not in the thread.
   */
  read(visitor: Visitor, threadId: string, query: QueryOf<"messages.branch">): Promise<Branch>;
  /**
   * Makes a branch through `messageId` the user's visible one, and returns the id of its last message. Keeps the
   * visible branch if it goes through the message already. Throws `thread-not-found`, `message-not-found`.
   */
  setHead(visitor: Visitor, threadId: string, messageId: string): Promise<string>;
};

/** A user's ratings of these messages, by message id. */
export type FeedbackOf = (
  userId: string,
  messageIds: string[],
) => Promise<ReadonlyMap<string, Omit<Feedback, "feedback_id">>>;

export function createBranches(options: {
  db: Database;
  threads: Threads;
  live: Live;
  clock: Clock;
  queue: Pick<Queue, "list">;
  feedbackOf: FeedbackOf;
  authorsOf: AuthorsOf;
  fileReferences: Pick<FileReferences, "urlSigner">;
}): Branches {
  const { db, threads, live, clock, queue, feedbackOf, authorsOf, fileReferences } = options;

  async function leafBelow(q: Kysely<Tables>, threadId: string, messageId: string): Promise<string> {
    const leaf = await tree.findLeafBelow(q, threadId, messageId);
    if (leaf === undefined) throw new AppError("message-not-found");
    return leaf;
  }

  /** The ids of all messages below each parent of the page. */
  async function siblingsOf(
    threadId: string,
    page: rows.MessageRow[],
  ): Promise<Map<string | null, string[]>> {
    const parents = [...new Set(page.map((row) => row.parent_id))];
    const children = parents.length === 0 ? [] : await tree.listChildren(db.read, threadId, parents);
    const byParent = Map.groupBy(children, (child) => child.parent_id);
    return new Map([...byParent].map(([parentId, siblings]) => [parentId, siblings.map(({ id }) => id)]));
  }

  /** The last message of the page that `query` requests; `undefined` if the page is empty. */
  async function findPageEnd(
    threadId: string,
    headId: string | undefined,
    { before, last }: QueryOf<"messages.branch">,
  ): Promise<string | undefined> {
    const id = last ?? before;
    if (id === undefined) return headId;
    const message = await rows.findMessage(db.read, threadId, id);
    if (message === undefined) throw new AppError("message-not-found");
    return last === undefined ? (message.parent_id ?? undefined) : message.id;
  }

  /** Up to `limit` messages that end in `endId`, oldest first; fewer if they are very large. */
  async function readPage(threadId: string, endId: string | undefined, limit: number) {
    if (endId === undefined) return { page: [], hasMore: false };
    const range = { limit, charactersMax: limits.pageCharacters };
    const { rows: page, hasMore } = await tree.listAncestors(db.read, threadId, endId, range);
    return { page: page.toReversed(), hasMore };
  }

  /** The summary that models read in place of the first messages of the branch. */
  async function findSummary(
    visitor: Visitor,
    threadId: string,
    headId: string | undefined,
  ): Promise<Summary | null> {
    const summaries = headId === undefined ? [] : (await listSummaries(db.read, threadId)).filter(isInUse);
    const ids = summaries.map((row) => row.message_id);
    const nearestId = await tree.findNearest(db.read, threadId, ids, headId ?? "");
    const row = summaries.find(({ message_id: id }) => id === nearestId);
    if (row === undefined) return null;
    return presentSummary({ ...row, text: memberUrls(visitor)?.(row.text) ?? row.text });
  }

  async function present(visitor: Visitor, threadId: string, page: rows.MessageRow[]) {
    const siblings = await siblingsOf(threadId, page);
    const ids = page.map((row) => row.id);
    const feedback = await feedbackOf(visitor.userId, ids);
    const authors = await authorsOfRows(authorsOf, visitor.appId, page);
    const signUrls =
      memberUrls(visitor) ?? (await fileReferences.urlSigner({ engine: db.engine, q: db.read }, page));
    const leases = await findLeases({ engine: db.engine, q: db.read }, ids);
    const leaseOf = new Map(leases.map((lease) => [lease.message_id, lease]));
    const nowMs = clock.now();
    const questions = page.filter((row) => row.role === "user");
    const askers = await askersOf(
      db,
      visitor,
      questions.map((row) => row.created_by),
    );
    const yieldNow = createYielder();
    const messages: BranchMessage[] = [];
    for (const row of page) {
      await yieldNow();
      const versions = siblings.get(row.parent_id) ?? [];
      const message = presentBranchMessage(row, signUrls, {
        lease: leaseOf.get(row.id),
        nowMs,
        siblings: versions.length > 1 ? versions : [],
        feedback: feedback.get(row.id),
        author: authors.get(row.id),
        asker: row.role === "user" ? askers.get(row.created_by) : undefined,
      });
      messages.push(
        visitor.memberAccess === undefined
          ? message
          : { ...message, content: withoutOtherThreads(message.content) },
      );
    }
    return messages;
  }

  return {
    async read(visitor, threadId, query) {
      await threads.get(visitor, threadId);
      // Read the queue before the messages: an entry that is sent in between is in both lists, with the same id. In the
      // other order it could be missing in both.
      const queued = await queue.list(visitor, threadId);
      const headId =
        query.head === undefined
          ? await findVisibleHead(db.read, threadId, visitor.userId)
          : await leafBelow(db.read, threadId, query.head);
      const endId = await findPageEnd(threadId, headId, query);
      const { page, hasMore } = await readPage(threadId, endId, query.limit ?? limits.branchPage);
      return {
        thread_id: threadId,
        head_id: headId ?? null,
        messages: await present(visitor, threadId, page),
        has_more: hasMore,
        queue: queued,
        summary: await findSummary(visitor, threadId, headId),
      };
    },

    async setHead(visitor, threadId, messageId) {
      return await db.write(async (tx) => {
        // Lock the thread, so that a concurrent deletion cannot remove the message before its head is stored.
        await threads.lock(tx, visitor, threadId);
        const visible = await findVisibleHead(tx.q, threadId, visitor.userId);
        const isVisible =
          visible !== undefined && (await tree.isAncestorOrSelf(tx.q, threadId, messageId, visible));
        const headId = isVisible ? visible : await leafBelow(tx.q, threadId, messageId);
        await rows.saveHead(tx, {
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
