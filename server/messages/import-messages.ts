import type { JsonObject } from "#contract/json.ts";
import type { ExportedMessage } from "#contract/endpoints/exports.ts";
import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import { plainText } from "#contract/parts/stored.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { AppError } from "../lib/errors.ts";
import type { FileReferences } from "../files/file-references.ts";
import type { Live } from "../live/live.ts";
import type { Quota } from "../quota/quota.ts";
import { contentText } from "./content-text.ts";
import * as rows from "./rows.ts";
import type { ThreadContext } from "./write-messages.ts";

/** The ids of a thread's messages, and the messages with an external id by that id. */
export type ExistingMessages = { ids: Set<string>; byExternalId: Map<string, string> };

export type ImportedMessage = Pick<ExportedMessage, "id" | "parent_id" | "role" | "format" | "content"> & {
  external_id: string | null;
  author: AnsweredBy | null;
  isPinned: boolean;
  status: Pick<rows.MessageRow, "status" | "status_reason" | "error_code">;
  createdAtMs: number;
  updatedAtMs: number;
};

export type MessageImport = ReturnType<typeof createMessageImport>;

/** Stores messages of an import, which keep their ids, times and positions. */
export function createMessageImport(options: {
  db: Database;
  live: Live;
  fileReferences: FileReferences;
  quota: Quota;
}) {
  const { db, live, fileReferences, quota } = options;
  return {
    /** The messages that the thread has already. */
    async findExisting(threadId: string): Promise<ExistingMessages> {
      const existing = await rows.listIds(db, threadId);
      const named = existing.filter((row) => row.external_id !== null);
      return {
        ids: new Set(existing.map(({ id }) => id)),
        byExternalId: new Map(named.map((row) => [row.external_id!, row.id])),
      };
    },
    /** The ids among `ids` that messages of any thread have already. */
    findTakenIds: async (ids: string[]): Promise<Set<string>> =>
      new Set(ids.length === 0 ? [] : await rows.findTakenIds(db, ids)),
    /** The row to insert for a message. Throws `too-large`. */
    toRow: (
      context: ThreadContext,
      { status, author, isPinned, createdAtMs, updatedAtMs, ...message }: ImportedMessage,
    ): rows.MessageRow => ({
      ...message,
      ...status,
      // `insert` calculates it, because the parent's height may change until then.
      height: 0,
      status_reason: cleanNullable(status.status_reason),
      error_code: cleanNullable(status.error_code),
      thread_id: context.threadId,
      external_id: cleanNullable(message.external_id),
      format: cleanText(message.format),
      content: fileReferences.forStorage(contentText(message.content)),
      plain_text: cleanText(plainText(message.format, message.content satisfies JsonObject)),
      run_id: null,
      made_by: author === null ? null : JSON.stringify(author),
      created_by: context.userId,
      is_pinned: isPinned ? 1 : 0,
      created_at: createdAtMs,
      updated_at: updatedAtMs,
    }),
    /**
     * In a transaction that holds the thread's lock: inserts rows, parents first, and claims the files that they reference.
     * Throws `quota-full`, and `parent-not-in-thread` if a parent was deleted in the meantime.
     */
    async insert(tx: Tx, context: ThreadContext, messages: rows.MessageRow[]): Promise<void> {
      await rows.insertMessages(tx, await withHeights(tx, context.threadId, messages));
      const texts = messages.map(({ id, content }) => ({ messageId: id, text: content }));
      await fileReferences.addAll(tx, context, texts);
      await quota.checkThread(tx, context.threadId);
    },
    /** The stored content of a message, and the ids of the files that it references. */
    async findContent(
      threadId: string,
      messageId: string,
    ): Promise<{ content: string; fileIds: Set<string> } | undefined> {
      const row = await rows.findMessage(db.read, threadId, messageId);
      if (row === undefined) return undefined;
      return { content: row.content, fileIds: await fileReferences.filesOf(db, messageId) };
    },
    /** A message's content as it is stored. Throws `too-large`. */
    textOf: (content: JsonObject): string => fileReferences.forStorage(contentText(content)),
    /**
     * In a transaction that holds the thread's lock: replaces the content of a message whose content is still `before`.
     * Returns whether it was changed.
     */
    async replaceContent(
      tx: Tx,
      { workspaceId, threadId, nowMs }: ThreadContext,
      { messageId, before, content }: { messageId: string; before: string; content: JsonObject },
    ): Promise<boolean> {
      const row = await rows.findMessage(tx.q, threadId, messageId);
      const text = fileReferences.forStorage(contentText(content));
      if (row?.content !== before || text === before) return false;
      const plain_text = cleanText(plainText(row.format, content));
      await rows.updateMessage(tx, messageId, { content: text, plain_text });
      await fileReferences.replace(tx, { workspaceId, threadId, messageId, nowMs }, text);
      await live.announce(tx, workspaceId, [
        { type: "message-put", thread_id: threadId, message_id: messageId, parent_id: row.parent_id },
      ]);
      return true;
    },
    /** In a transaction that holds the thread's lock: makes the branch that ends here the user's visible one. */
    setHead: async (tx: Tx, { threadId, userId, nowMs }: ThreadContext, messageId: string): Promise<void> =>
      await rows.saveHead(tx, {
        thread_id: threadId,
        user_id: userId,
        message_id: messageId,
        updated_at: nowMs,
      }),
    /** Publishes a new message in the workspace's feed. */
    announce: async (tx: Tx, { workspaceId, threadId }: ThreadContext, row: rows.MessageRow): Promise<void> =>
      await live.announce(tx, workspaceId, [
        { type: "message-put", thread_id: threadId, message_id: row.id, parent_id: row.parent_id },
      ]),
  };
}

async function withHeights(
  tx: Tx,
  threadId: string,
  messages: rows.MessageRow[],
): Promise<rows.MessageRow[]> {
  const parentIds = messages.map((row) => row.parent_id).filter((id) => id !== null);
  const heights = await rows.findHeights(tx, threadId, parentIds);
  return messages.map((row) => {
    const parentHeight = row.parent_id === null ? -1 : heights.get(row.parent_id);
    if (parentHeight === undefined) throw new AppError("parent-not-in-thread");
    const height = parentHeight + 1;
    heights.set(row.id, height);
    return { ...row, height };
  });
}

function cleanNullable(text: string | null): string | null {
  return text === null ? null : cleanText(text);
}
