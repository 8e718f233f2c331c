import { emptyReply, type Reply } from "#contract/fold.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { plainText, readStored } from "#contract/parts/stored.ts";
import { replyStatus } from "#contract/reply-status.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import * as rows from "../rows.ts";
import { findMessage, newRow, ownFormat, type MessageWriter, type ThreadContext } from "../write-messages.ts";
import { replyContent } from "./reply-content.ts";

/** The replies of our own runs, for the transactions that start, pause, continue and end a run. */
export type Replies = {
  /**
   * Stores an empty reply below `parent` and makes its branch the user's visible one. A reply to a queued message
   * (`isAutomatic`) changes the visible branch only if it continues that branch.
   */
  createReply(
    tx: Tx,
    context: ThreadContext,
    reply: { id: string | undefined; parent: rows.MessageRow; runId: string; isAutomatic?: boolean },
  ): Promise<rows.MessageRow>;
  /** Makes the branch of this reply the user's visible one. */
  showReply(tx: Tx, context: ThreadContext, replyId: string): Promise<void>;
  /** Marks the reply as running again, for another run that continues from the stored content. */
  resumeReply(tx: Tx, context: ThreadContext, replyId: string, runId: string): Promise<void>;
  /** Stores the reply when its run waits, resumes or ends. */
  saveReply(tx: Tx, context: Omit<ThreadContext, "userId">, replyId: string, reply: Reply): Promise<void>;
  /** The stored parts of a reply; empty if it does not exist. */
  replyParts(threadId: string, replyId: string): Promise<Part[]>;
};

export function createReplies({ db, writer }: { db: Database; writer: MessageWriter }): Replies {
  return {
    async createReply(tx, context, { id, parent, runId, isAutomatic = false }) {
      const row: rows.MessageRow = {
        ...newRow(context, parent),
        ...(id === undefined ? {} : { id }),
        role: "assistant",
        content: JSON.stringify(replyContent(emptyReply)),
        plain_text: "",
        status: "running",
        status_reason: null,
        run_id: runId,
      };
      await writer.insert(tx, context, row);
      const continuesVisibleBranch =
        !isAutomatic || (await rows.findHead(tx.q, context.threadId, context.userId)) === parent.parent_id;
      if (continuesVisibleBranch) await writer.setHead(tx, context, row.id);
      return row;
    },

    showReply: writer.setHead,

    async resumeReply(tx, context, replyId, runId) {
      const row = await findMessage(tx, context.threadId, replyId, "message-not-found");
      await rows.updateMessage(tx, replyId, {
        status: "running",
        status_reason: null,
        error_code: null,
        run_id: runId,
        updated_at: context.nowMs,
      });
      await writer.announce(tx, context.workspaceId, row);
      await writer.setHead(tx, context, replyId);
    },

    async saveReply(tx, context, replyId, reply) {
      const row = await rows.findMessage(tx.q, context.threadId, replyId);
      if (row === undefined) return;
      const content = replyContent(reply);
      const status = replyStatus(reply);
      await writer.replace(tx, context, row, {
        content: JSON.stringify(content),
        plain_text: cleanText(plainText(ownFormat, content)),
        status: status.type,
        status_reason: status.reason,
        error_code: status.error_code,
      });
    },

    async replyParts(threadId, replyId) {
      const row = await rows.findMessage(db.read, threadId, replyId);
      return row === undefined ? [] : partsOf(row);
    },
  };
}

/** The parts of a stored message. */
export function partsOf(row: rows.MessageRow): Part[] {
  return readStored(row.format, JSON.parse(row.content)).parts;
}
