import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import { AppError } from "../lib/errors.ts";
import { findMessages, type MessageRow } from "./rows.ts";
import { findVisibleHead } from "./visible-head.ts";
import { listSummaries, type PlacedSummary } from "./summaries/rows.ts";
import { isInUse } from "./summaries/present.ts";
import * as tree from "./tree-rows.ts";

/** The end of a branch, from the top down, and the summary of the messages above it. */
export type SummarizedBranch = {
  summary: PlacedSummary | undefined;
  /** The pinned messages above the others, which models read in full. */
  pinned: tree.HistoryRow[];
  /** Here, `is_pinned` is 0 for what exceeds the limits of pinned messages. */
  messages: tree.HistoryRow[];
  /** Whether messages above these are left out without a summary, because the branch is very large. */
  isCut: boolean;
};

export type History = {
  /** The branch that ends in `messageId`, from the root down. Only the end of a very large branch. */
  history(threadId: string, messageId: string): Promise<tree.HistoryRow[]>;
  /** The last `count` messages of the branch that ends in `messageId`, from the top down; none if that does not exist. */
  endOf(threadId: string, messageId: string, count: number): Promise<MessageRow[]>;
  /**
   * The branch that ends in `messageId`, from the nearest summary above that message down. Only the end of a very large
   * branch, because no model reads more.
   */
  summarized(threadId: string, messageId: string | undefined): Promise<SummarizedBranch>;
  /**
   * The last message of the branch through `messageId`, or of the branch that this user saw last; `undefined` in a thread
   * without messages. Throws `message-not-found`.
   */
  findHead(
    user: { userId: string },
    threadId: string,
    messageId: string | undefined,
  ): Promise<string | undefined>;
  /**
   * Like `summarized`, for the messages above a run's reply. They end in the message that the run answers, unless that
   * was deleted.
   */
  historyOf(run: Pick<Row<"runs">, "thread_id" | "message_id" | "reply_id">): Promise<SummarizedBranch>;
};

const none: SummarizedBranch = { summary: undefined, pinned: [], messages: [], isCut: false };

export function createHistory({ db }: { db: Database }): History {
  async function read(threadId: string, messageId: string, stopAt: readonly string[]) {
    const range = { stopAt, charactersMax: limits.pageCharacters };
    const { rows, hasMore } = await tree.listHistory(db.read, threadId, messageId, range);
    return { messages: rows.toReversed(), isCut: hasMore };
  }

  async function summarized(threadId: string, messageId: string | undefined): Promise<SummarizedBranch> {
    if (messageId === undefined) return none;
    const summaries = (await listSummaries(db.read, threadId)).filter(isInUse);
    const { messages, isCut } = await read(
      threadId,
      messageId,
      summaries.map((row) => row.message_id),
    );
    const first = messages[0];
    const summary =
      isCut || first?.id === messageId ? undefined : summaries.find((row) => row.message_id === first?.id);
    const kept = summary === undefined ? messages : messages.slice(1);
    return { summary, isCut, ...(await withPinned(threadId, messageId, kept)) };
  }

  /** The end of a branch, and the pinned messages above it. */
  async function withPinned(threadId: string, messageId: string, end: readonly tree.HistoryRow[]) {
    const ids = await tree.listPinned(db.read, threadId, messageId);
    const above = ids.filter((id) => end.every((row) => row.id !== id));
    const found = above.length === 0 ? undefined : await findMessages(db, threadId, above);
    return {
      pinned: above.map((id) => found?.get(id)).filter((row) => row !== undefined),
      messages: end.map((row) =>
        row.is_pinned === 0 || ids.includes(row.id) ? row : { ...row, is_pinned: 0 },
      ),
    };
  }

  return {
    async endOf(threadId, messageId, limit) {
      const range = { limit, charactersMax: limits.pageCharacters };
      return (await tree.listAncestors(db.read, threadId, messageId, range)).rows.toReversed();
    },
    history: async (threadId, messageId) => (await read(threadId, messageId, [])).messages,
    summarized,
    async findHead({ userId }, threadId, messageId) {
      if (messageId === undefined) return await findVisibleHead(db.read, threadId, userId);
      const leaf = await tree.findLeafBelow(db.read, threadId, messageId);
      if (leaf === undefined) throw new AppError("message-not-found");
      return leaf;
    },
    async historyOf({ thread_id: threadId, message_id: messageId, reply_id: replyId }) {
      if (threadId === null || replyId === null) return none;
      const parentId = (await tree.findParent(db.read, threadId, replyId)) ?? messageId;
      return parentId === null ? none : await summarized(threadId, parentId);
    },
  };
}
