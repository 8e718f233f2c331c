import { newId } from "#contract/ids.ts";
import type { Tx } from "#storage/database/database.ts";
import type { FileReferences } from "../files/file-references.ts";
import { AppError } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import * as rows from "./rows.ts";
import { invalidateSummaries } from "./summaries/invalidate.ts";

/** The format of our own messages. */
export const ownFormat = "aui/v0";

/** The thread that a transaction changes, the user who does it, and the time. */
export type ThreadContext = { workspaceId: string; threadId: string; userId: string; nowMs: number };

/** The error for a message that is not in the thread. */
export type NotFoundCode = "message-not-found" | "parent-not-in-thread" | "message-not-in-thread";

export type MessageWriter = ReturnType<typeof createMessageWriter>;

/** Writes messages with everything that follows from them: the files that they reference, summaries, and the feed. */
export function createMessageWriter({
  live,
  fileReferences,
}: {
  live: Live;
  fileReferences: FileReferences;
}) {
  const writer = {
    async insert(tx: Tx, context: ThreadContext, row: rows.MessageRow): Promise<void> {
      await rows.insertMessage(tx, row);
      await fileReferences.add(tx, { ...context, messageId: row.id }, row.content);
      await writer.announce(tx, context.workspaceId, row);
    },

    async replace(
      tx: Tx,
      context: Omit<ThreadContext, "userId">,
      row: rows.MessageRow,
      fields: rows.MessageChange & rows.TextChange,
    ): Promise<void> {
      await rows.updateMessage(tx, row.id, { ...fields, updated_at: context.nowMs });
      await fileReferences.replace(tx, { ...context, messageId: row.id }, fields.content);
      await invalidateSummaries(tx, live, context, [row.id]);
      await writer.announce(tx, context.workspaceId, row);
    },

    /** Makes the branch that ends at this message the user's visible one. */
    async setHead(tx: Tx, context: ThreadContext, messageId: string): Promise<void> {
      await rows.saveHead(tx, {
        thread_id: context.threadId,
        user_id: context.userId,
        message_id: messageId,
        updated_at: context.nowMs,
      });
      await live.announce(tx, context.workspaceId, [
        { type: "head-put", thread_id: context.threadId, user_id: context.userId, message_id: messageId },
      ]);
    },

    async announce(
      tx: Tx,
      workspaceId: string,
      row: Pick<rows.MessageRow, "id" | "thread_id" | "parent_id">,
    ): Promise<void> {
      await live.announce(tx, workspaceId, [
        { type: "message-put", thread_id: row.thread_id, message_id: row.id, parent_id: row.parent_id },
      ]);
    },
  };
  return writer;
}

/** Throws `code` if the thread has no such message. */
export async function findMessage(
  tx: Tx,
  threadId: string,
  id: string,
  code: NotFoundCode,
): Promise<rows.MessageRow> {
  const row = await rows.findMessage(tx.q, threadId, id);
  if (row === undefined) throw new AppError(code);
  return row;
}

/** The row of a person's empty message below `parent`. */
export function newRow(
  { threadId, userId, nowMs }: ThreadContext,
  parent: rows.MessageRow | undefined,
): rows.MessageRow {
  return {
    id: newId("message", nowMs),
    thread_id: threadId,
    external_id: null,
    parent_id: parent?.id ?? null,
    height: parent === undefined ? 0 : parent.height + 1,
    role: "user",
    format: ownFormat,
    content: "{}",
    plain_text: "",
    status: "complete",
    status_reason: "stop",
    error_code: null,
    run_id: null,
    made_by: null,
    created_by: userId,
    is_pinned: 0,
    created_at: nowMs,
    updated_at: nowMs,
  };
}
