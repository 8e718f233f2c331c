import type { BodyOf } from "#contract/api.ts";
import { emptyReply, type Reply } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { roles, type Role } from "#contract/endpoints/messages.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { plainText, readStored } from "#contract/parts/stored.ts";
import { replyStatus } from "#contract/reply-status.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Mentions } from "../files/mentions.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../lib/route.ts";
import type { Quota } from "../quota/quota.ts";
import type { Bookmarks } from "../threads/bookmarks.ts";
import type { MoveHook } from "../threads/claim.ts";
import type { Erased } from "../threads/erase.ts";
import type { Threads } from "../threads/threads.ts";
import { contentText } from "./content-text.ts";
import { createHistory, type History } from "./history.ts";
import { createMessageLists, type MessageLists } from "./lists.ts";
import { replyContent } from "./reply-content.ts";
import { eraseSummaries, invalidateSummaries } from "./summaries/invalidate.ts";
import * as rows from "./rows.ts";
import * as tree from "./tree-rows.ts";

/** The format of our own messages. */
export const ownFormat = "aui/v0";

/** The positions of deleted messages are kept this long: a client that pauses longer must list from the start. */
const keepPositionsMs = 24 * 60 * 60_000;

export type Messages = MessageLists &
  History & {
    /**
     * Stores a message of a protocol client. If its external id exists already, replaces that message's content and format
     * (`created` is false), and moves the thread to the top if they changed. `height` is the number of messages above it.
     * Throws `thread-not-found`, `parent-not-in-thread`, `role-cannot-change`, `too-large`, `quota-full`.
     */
    add(
      visitor: Visitor,
      threadId: string,
      body: BodyOf<"messages.add">,
    ): Promise<{ id: string; height: number; created: boolean }>;
    /** Replaces a message's content only. Throws `thread-not-found`, `message-not-found`, `too-large`, `quota-full`. */
    update(visitor: Visitor, threadId: string, messageId: string, content: JsonObject): Promise<void>;

    /** In a run's transaction that holds the thread's lock: stores a person's message as a child of `parentId`. */
    addUserMessage(
      tx: Tx,
      context: ThreadContext,
      message: { id: string | undefined; parentId: string | null; content: JsonObject },
    ): Promise<rows.MessageRow>;
    /**
     * In a run's transaction: stores an empty reply below `parent` and makes its branch the user's visible one. A reply to
     * a queued message (`isAutomatic`) changes the visible branch only if it continues that branch.
     */
    createReply(
      tx: Tx,
      context: ThreadContext,
      reply: { id: string | undefined; parent: rows.MessageRow; runId: string; isAutomatic?: boolean },
    ): Promise<rows.MessageRow>;
    /**
     * In a run's transaction: the last message of the branch through `messageId`: of the user's visible branch if it goes
     * through that message, otherwise of the deepest one. Throws `parent-not-in-thread`.
     */
    findBranchEnd(tx: Tx, context: ThreadContext, messageId: string): Promise<string>;
    /** In a transaction of the thread: makes the branch of this reply the user's visible one. */
    showReply(tx: Tx, context: ThreadContext, replyId: string): Promise<void>;
    /** In a run's transaction: marks the reply as running again, for another run that continues from the stored content. */
    resumeReply(tx: Tx, context: ThreadContext, replyId: string, runId: string): Promise<void>;
    /** The parts of a stored message. */
    partsOf(row: rows.MessageRow): Part[];
    /** The stored parts of a reply; empty if it does not exist. */
    replyParts(threadId: string, replyId: string): Promise<Part[]>;
    /** In a run's transaction: stores the reply when its run waits, resumes or ends. */
    saveReply(tx: Tx, context: Omit<ThreadContext, "userId">, replyId: string, reply: Reply): Promise<void>;
    /** A message of this thread. Throws `code` if it does not exist. */
    find(tx: Tx, threadId: string, messageId: string, code: NotFoundCode): Promise<rows.MessageRow>;
    /** A message of any thread: distinguishes a repeated request from an id that is taken. */
    findAnywhere(tx: Tx, messageId: string): Promise<rows.MessageRow | undefined>;
    /** In the transaction of a claim: gives the messages and visible branches of moved threads to the new user. */
    reassign: MoveHook;
    /** In the transaction of an erasure: empties the person's messages in threads that are kept. */
    redact(tx: Tx, person: Erased): Promise<void>;
    /** Deletes the positions of messages that were deleted more than a day ago. */
    tidy(): Promise<void>;
  };

/** The error for a message that is not in the thread. */
type NotFoundCode = "message-not-found" | "parent-not-in-thread" | "message-not-in-thread";

/** The thread that a transaction changes, the user who does it, and the time. */
export type ThreadContext = { workspaceId: string; threadId: string; userId: string; nowMs: number };

export function createMessages(options: {
  db: Database;
  threads: Threads;
  live: Live;
  clock: Clock;
  mentions: Mentions;
  bookmarks: Pick<Bookmarks, "save" | "find">;
  quota: Quota;
}): Messages {
  const { db, threads, live, clock, mentions, quota } = options;

  async function announcePut(
    tx: Tx,
    workspaceId: string,
    row: { id: string; thread_id: string; parent_id: string | null },
  ): Promise<void> {
    await live.announce(tx, workspaceId, [
      { type: "message-put", thread_id: row.thread_id, message_id: row.id, parent_id: row.parent_id },
    ]);
  }

  async function insert(tx: Tx, context: ThreadContext, row: rows.MessageRow): Promise<void> {
    await rows.insertMessage(tx, row);
    await mentions.add(tx, { ...context, messageId: row.id }, row.content);
    await announcePut(tx, context.workspaceId, row);
  }

  async function replace(
    tx: Tx,
    context: Omit<ThreadContext, "userId">,
    row: rows.MessageRow,
    fields: rows.MessageChange & rows.TextChange,
  ): Promise<void> {
    await rows.updateMessage(tx, row.id, { ...fields, updated_at: context.nowMs });
    await mentions.replace(tx, { ...context, messageId: row.id }, fields.content);
    await invalidateSummaries(tx, live, context, [row.id]);
    await announcePut(tx, context.workspaceId, row);
  }

  async function setHead(tx: Tx, context: ThreadContext, messageId: string): Promise<void> {
    await rows.saveHead(tx, {
      thread_id: context.threadId,
      user_id: context.userId,
      message_id: messageId,
      updated_at: context.nowMs,
    });
    await live.announce(tx, context.workspaceId, [
      { type: "head-put", thread_id: context.threadId, user_id: context.userId, message_id: messageId },
    ]);
  }

  async function find(tx: Tx, threadId: string, id: string, code: NotFoundCode): Promise<rows.MessageRow> {
    const row = await rows.findMessage(tx.q, threadId, id);
    if (row === undefined) throw new AppError(code);
    return row;
  }

  return {
    ...createMessageLists(options),
    find,
    findAnywhere: async (tx, id) => await rows.findMessageAnywhere(tx, id),

    async add(visitor, threadId, body) {
      const content = mentions.forStorage(contentText(body.content));
      return await db.write(async (tx) => {
        const nowMs = clock.now();
        await threads.lock(tx, visitor, threadId);
        const context: ThreadContext = {
          workspaceId: visitor.workspaceId,
          threadId,
          userId: visitor.userId,
          nowMs,
        };
        const role = roleOf(body.content);
        const externalId = body.external_id == null ? null : cleanText(body.external_id);
        const format = cleanText(body.format);
        const fields = { format, content, plain_text: cleanText(plainText(body.format, body.content)) };
        const existing =
          externalId === null ? undefined : await rows.findByExternalId(tx, threadId, externalId);
        if (existing === undefined) {
          const parent = await findParent(tx, threadId, body);
          const row = { ...newRow(context, parent), ...fields, external_id: externalId, role };
          await insert(tx, context, row);
          await setHead(tx, context, row.id);
          await threads.touch(tx, visitor, threadId, nowMs);
          await quota.checkThread(tx, threadId);
          return { id: row.id, height: row.height, created: true };
        }
        if (existing.role !== role) throw new AppError("role-cannot-change");
        if (existing.content !== content || existing.format !== format) {
          await replace(tx, context, existing, fields);
          if (content.length > existing.content.length) await quota.checkThread(tx, threadId);
          await threads.touch(tx, visitor, threadId, nowMs);
        }
        return { id: existing.id, height: existing.height, created: false };
      });
    },

    async update(visitor, threadId, messageId, content) {
      const text = mentions.forStorage(contentText(content));
      await db.write(async (tx) => {
        const nowMs = clock.now();
        await threads.lock(tx, visitor, threadId);
        const row = await find(tx, threadId, messageId, "message-not-found");
        const context = { workspaceId: visitor.workspaceId, threadId, nowMs };
        const fields = { content: text, plain_text: cleanText(plainText(row.format, content)) };
        await replace(tx, context, row, fields);
        if (text.length > row.content.length) await quota.checkThread(tx, threadId);
      });
    },

    async addUserMessage(tx, context, message) {
      const parent =
        message.parentId === null
          ? undefined
          : await find(tx, context.threadId, message.parentId, "parent-not-in-thread");
      const row: rows.MessageRow = {
        ...newRow(context, parent),
        ...(message.id === undefined ? {} : { id: message.id }),
        role: "user",
        content: mentions.forStorage(contentText(message.content)),
        plain_text: cleanText(plainText(ownFormat, message.content)),
      };
      await insert(tx, context, row);
      return row;
    },

    async findBranchEnd(tx, { threadId, userId }, messageId) {
      const deepest = await tree.findLeafBelow(tx.q, threadId, messageId);
      if (deepest === undefined) throw new AppError("parent-not-in-thread");
      if (deepest === messageId) return messageId;
      const head = await rows.findHead(tx.q, threadId, userId);
      if (head === undefined || !(await tree.isAncestorOrSelf(tx.q, threadId, messageId, head)))
        return deepest;
      return (await tree.findLeafBelow(tx.q, threadId, head)) ?? deepest;
    },

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
      await insert(tx, context, row);
      const continuesVisibleBranch =
        !isAutomatic || (await rows.findHead(tx.q, context.threadId, context.userId)) === parent.parent_id;
      if (continuesVisibleBranch) await setHead(tx, context, row.id);
      return row;
    },

    showReply: setHead,

    async resumeReply(tx, context, replyId, runId) {
      const row = await find(tx, context.threadId, replyId, "message-not-found");
      await rows.updateMessage(tx, replyId, {
        status: "running",
        status_reason: null,
        error_code: null,
        run_id: runId,
        updated_at: context.nowMs,
      });
      await announcePut(tx, context.workspaceId, row);
      await setHead(tx, context, replyId);
    },

    partsOf: (row) => readStored(row.format, JSON.parse(row.content)).parts,

    async replyParts(threadId, replyId) {
      const row = await rows.findMessage(db.read, threadId, replyId);
      return row === undefined ? [] : readStored(row.format, JSON.parse(row.content)).parts;
    },

    async saveReply(tx, context, replyId, reply) {
      const row = await rows.findMessage(tx.q, context.threadId, replyId);
      if (row === undefined) return;
      const content = replyContent(reply);
      const status = replyStatus(reply);
      await replace(tx, context, row, {
        content: JSON.stringify(content),
        plain_text: cleanText(plainText(ownFormat, content)),
        status: status.type,
        status_reason: status.reason,
        error_code: status.error_code,
      });
    },

    reassign: async (tx, { threadIds, from, to }) =>
      await rows.reassignMessages(tx, threadIds, from.userId, to.userId),

    async redact(tx, { projectId, userId, marker }) {
      await eraseSummaries(tx, projectId, userId);
      await rows.redactMessages(tx, projectId, userId, marker);
    },

    async tidy() {
      await db.write(async (tx) => await rows.pruneDeleted(tx, clock.now() - keepPositionsMs));
    },

    ...createHistory(options),
  };

  async function findParent(
    tx: Tx,
    threadId: string,
    body: BodyOf<"messages.add">,
  ): Promise<rows.MessageRow | undefined> {
    if (body.parent_external_id != null) {
      const parent = await rows.findByExternalId(tx, threadId, cleanText(body.parent_external_id));
      if (parent === undefined) throw new AppError("parent-not-in-thread");
      return parent;
    }
    if (body.parent_id === null) return undefined;
    const parentId = cleanText(body.parent_id);
    // A client that lost its map of ids sends a local id. An error would lose the message and block the client's batch.
    // It may have stored the parent with that id as the external one.
    const isStoredId = parentId.startsWith("msg_");
    const named = isStoredId ? await rows.findMessage(tx.q, threadId, parentId) : undefined;
    const parent = named ?? (await rows.findByExternalId(tx, threadId, parentId));
    if (parent === undefined && isStoredId) throw new AppError("parent-not-in-thread");
    return parent;
  }
}

function newRow(
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
    created_at: nowMs,
    updated_at: nowMs,
  };
}

function roleOf(content: JsonObject): Role {
  return roles.find((role) => role === content.role) ?? "user";
}
