import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import { AppError } from "../lib/errors.ts";
import type { MessageRow } from "./rows.ts";
import { findVisibleHead } from "./visible-head.ts";
import { listSummaries, type PlacedSummary } from "./summaries/rows.ts";
import { isInUse } from "./summaries/present.ts";
import * as tree from "./tree-rows.ts";

/** The end of a branch, from the top down, and the summary of the messages above it. */
export type SummarizedBranch = {
  summary: PlacedSummary | undefined;
  messages: MessageRow[];
  /** Whether messages above these are left out without a summary, because the branch is very large. */
  isCut: boolean;
};

export type History = {
  /** The branch that ends in `messageId`, from the root down. Only the end of a very large branch. */
  history(threadId: string, messageId: string): Promise<MessageRow[]>;
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
  /** The same for the messages above a run's reply. They end in the message that the run answers, unless that was deleted. */
  historyOf(run: Pick<Row<"runs">, "thread_id" | "message_id" | "reply_id">): Promise<SummarizedBranch>;
};

const none: SummarizedBranch = { summary: undefined, messages: [], isCut: false };

export function createHistory({ db }: { db: Database }): History {
  async function read(threadId: string, messageId: string, stopAt: readonly string[]) {
    const { fitting, steps } = await tree.measureAncestors(
      db.read,
      threadId,
      messageId,
      { stopAt },
      limits.pageCharacters,
    );
    const found = await tree.listAncestors(db.read, threadId, messageId, { limit: fitting });
    return { messages: found.toReversed(), isCut: steps > fitting };
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
    return { summary, messages: summary === undefined ? messages : messages.slice(1), isCut };
  }

  return {
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
