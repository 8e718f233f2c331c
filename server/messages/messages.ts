import type { BodyOf } from "#contract/api.ts";
import { emptyReply, type Reply } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { roles, type Role } from "#contract/endpoints/messages.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { plainText, readStored } from "#contract/parts/stored.ts";
import { replyStatus } from "#contract/reply-status.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Mentions } from "../files/mentions.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../lib/route.ts";
import type { Bookmarks } from "../threads/bookmarks.ts";
import type { Follower } from "../threads/claim.ts";
import type { Erased } from "../threads/erase.ts";
import type { Threads } from "../threads/threads.ts";
import { contentText } from "./content-text.ts";
import { createMessageLists, type MessageLists } from "./lists.ts";
import { replyContent } from "./reply-content.ts";
import * as rows from "./rows.ts";
import * as tree from "./tree-rows.ts";

/** The format of our own messages. */
export const ownFormat = "aui/v0";

/** A walk over a thread that stood still for a day begins anew. */
const keepPlacesMs = 24 * 60 * 60_000;

export type Messages = MessageLists & {
  /**
   * Stores a message of a protocol client. `made` is false where its external id was there already; then content and
   * format were replaced, and the thread moved if that changed anything. Throws `thread-not-found`, `parent-not-in-thread`, `role-cannot-change`, `too-large`.
   */
  add(
    visitor: Visitor,
    threadId: string,
    body: BodyOf<"messages.add">,
  ): Promise<{ id: string; made: boolean }>;
  /** Replaces a message's content and nothing else. Throws `thread-not-found`, `message-not-found`, `too-large`. */
  update(visitor: Visitor, threadId: string, messageId: string, content: JsonObject): Promise<void>;

  /** In a run's transaction: stores what a person said, as a child of `parentId`. The thread is held already. */
  addOwn(
    tx: Tx,
    place: OwnPlace,
    message: { id: string | undefined; parentId: string | null; content: JsonObject },
  ): Promise<rows.MessageRow>;
  /**
   * In a run's transaction: stores an empty reply below `parent`, and shows its branch to the visitor; with `unasked`
   * only where they are shown the branch that it goes on.
   */
  beginReply(
    tx: Tx,
    place: OwnPlace,
    reply: { id: string | undefined; parent: rows.MessageRow; runId: string; unasked?: boolean },
  ): Promise<rows.MessageRow>;
  /**
   * In a run's transaction: where the branch through `messageId` ends: the visitor's own, where they are shown one that
   * goes through it, else the deepest. Throws `parent-not-in-thread`.
   */
  endOf(tx: Tx, place: OwnPlace, messageId: string): Promise<string>;
  /** In a run's transaction: the reply is being written again, by another run, which goes on from what is stored. */
  resumeReply(tx: Tx, place: OwnPlace, replyId: string, runId: string): Promise<void>;
  /** The parts of a message, as its row has them. */
  partsOf(row: rows.MessageRow): Part[];
  /** The parts of a reply as they are stored. */
  replyParts(threadId: string, replyId: string): Promise<Part[]>;
  /** In a run's transaction: stores what a run has made of its reply, when it waits, goes on or ends. */
  putReply(tx: Tx, place: Omit<OwnPlace, "userId">, replyId: string, reply: Reply): Promise<void>;
  /** A message of this thread; throws `code` where there is none. */
  find(tx: Tx, threadId: string, messageId: string, code: NotThere): Promise<rows.MessageRow>;
  /** Whatever thread it is in: for telling a repeated request from an id that is taken. */
  findAnywhere(tx: Tx, messageId: string): Promise<rows.MessageRow | undefined>;
  /** In the transaction of a claim: brings along who wrote the messages of threads that move, and who is shown what. */
  follow: Follower;
  /** In the transaction of an erasure: empties what this person wrote in threads that stay. */
  redact(tx: Tx, who: Erased): Promise<void>;
  /** Forgets the places of messages that were deleted more than a day ago: no walk stands still for so long. */
  tidy(): Promise<void>;

  /**
   * The branch that ends in `messageId`, from the top down. Of a very large one its end, for no model reads more.
   */
  history(threadId: string, messageId: string): Promise<rows.MessageRow[]>;
  /**
   * What stands above a run's reply, in the same way: what a model reads. That need not end in the message which the
   * run answers, for that may have been deleted.
   */
  historyOf(run: Pick<Row<"runs">, "thread_id" | "message_id" | "reply_id">): Promise<rows.MessageRow[]>;
};

/** How it is told that a message is not in the thread. */
type NotThere = "message-not-found" | "parent-not-in-thread" | "message-not-in-thread";

export type OwnPlace = { workspaceId: string; threadId: string; userId: string; nowMs: number };

export function createMessages(options: {
  db: Database;
  threads: Threads;
  live: Live;
  clock: Clock;
  mentions: Mentions;
  bookmarks: Pick<Bookmarks, "put" | "find">;
}): Messages {
  const { db, threads, live, clock, mentions } = options;

  async function announcePut(
    tx: Tx,
    workspaceId: string,
    row: { id: string; thread_id: string; parent_id: string | null },
  ): Promise<void> {
    await live.announce(tx, workspaceId, [
      { type: "message-put", thread_id: row.thread_id, message_id: row.id, parent_id: row.parent_id },
    ]);
  }

  async function show(tx: Tx, place: OwnPlace, messageId: string): Promise<void> {
    await rows.putHead(tx, {
      thread_id: place.threadId,
      user_id: place.userId,
      message_id: messageId,
      updated_at: place.nowMs,
    });
    await live.announce(tx, place.workspaceId, [
      { type: "head-put", thread_id: place.threadId, user_id: place.userId, message_id: messageId },
    ]);
  }

  async function find(tx: Tx, threadId: string, id: string, code: NotThere): Promise<rows.MessageRow> {
    const row = await rows.findMessage(tx.q, threadId, id);
    if (row === undefined) throw new AppError(code);
    return row;
  }

  return {
    ...createMessageLists(options),
    find,
    findAnywhere: async (tx, id) => await rows.findMessageAnywhere(tx, id),

    async add(visitor, threadId, body) {
      const content = mentions.kept(contentText(body.content));
      return await db.write(async (tx) => {
        const nowMs = clock.now();
        await threads.hold(tx, visitor, threadId);
        const place: OwnPlace = { workspaceId: visitor.workspaceId, threadId, userId: visitor.userId, nowMs };
        const role = roleOf(body.content);
        const externalId = body.external_id == null ? null : cleanText(body.external_id);
        const there = externalId === null ? undefined : await rows.findByExternalId(tx, threadId, externalId);
        if (there !== undefined) {
          if (there.role !== role) throw new AppError("role-cannot-change");
          const format = cleanText(body.format);
          if (there.content !== content || there.format !== format) {
            await rows.changeMessage(tx, there.id, {
              format,
              content,
              plain_text: cleanText(plainText(format, body.content)),
              updated_at: nowMs,
            });
            await mentions.claimAnew(tx, { ...place, messageId: there.id }, content);
            await announcePut(tx, visitor.workspaceId, there);
            await threads.touch(tx, visitor, threadId, nowMs);
          }
          return { id: there.id, made: false };
        }
        const parent = await parentOf(tx, threadId, body);
        const row: rows.MessageRow = {
          ...newRow(place, parent),
          external_id: externalId,
          role,
          format: cleanText(body.format),
          content,
          plain_text: cleanText(plainText(body.format, body.content)),
        };
        await rows.insertMessage(tx, row);
        await mentions.claim(tx, { ...place, messageId: row.id }, content);
        await announcePut(tx, visitor.workspaceId, row);
        await show(tx, place, row.id);
        await threads.touch(tx, visitor, threadId, nowMs);
        return { id: row.id, made: true };
      });
    },

    async update(visitor, threadId, messageId, content) {
      const text = mentions.kept(contentText(content));
      await db.write(async (tx) => {
        const nowMs = clock.now();
        await threads.hold(tx, visitor, threadId);
        const row = await find(tx, threadId, messageId, "message-not-found");
        const plain = cleanText(plainText(row.format, content));
        await rows.changeMessage(tx, messageId, {
          content: text,
          plain_text: plain,
          updated_at: nowMs,
        });
        const { workspaceId } = visitor;
        await mentions.claimAnew(tx, { workspaceId, threadId, messageId, nowMs }, text);
        await announcePut(tx, visitor.workspaceId, row);
      });
    },

    async addOwn(tx, place, message) {
      const parent =
        message.parentId === null
          ? undefined
          : await find(tx, place.threadId, message.parentId, "parent-not-in-thread");
      const row: rows.MessageRow = {
        ...newRow(place, parent),
        ...(message.id === undefined ? {} : { id: message.id }),
        role: "user",
        content: mentions.kept(contentText(message.content)),
        plain_text: cleanText(plainText(ownFormat, message.content)),
      };
      await rows.insertMessage(tx, row);
      await mentions.claim(tx, { ...place, messageId: row.id }, row.content);
      await announcePut(tx, place.workspaceId, row);
      return row;
    },

    async endOf(tx, { threadId, userId }, messageId) {
      const deepest = await tree.leafBelow(tx.q, threadId, messageId);
      if (deepest === undefined) throw new AppError("parent-not-in-thread");
      if (deepest === messageId) return messageId;
      const kept = await rows.findHead(tx.q, threadId, userId);
      if (kept === undefined || !(await tree.isAbove(tx.q, threadId, messageId, kept))) return deepest;
      return (await tree.leafBelow(tx.q, threadId, kept)) ?? deepest;
    },

    async beginReply(tx, place, { id, parent, runId, unasked = false }) {
      const row: rows.MessageRow = {
        ...newRow(place, parent),
        ...(id === undefined ? {} : { id }),
        role: "assistant",
        content: JSON.stringify(replyContent(emptyReply)),
        plain_text: "",
        status: "running",
        status_reason: null,
        run_id: runId,
      };
      await rows.insertMessage(tx, row);
      await announcePut(tx, place.workspaceId, row);
      const isShown =
        !unasked || (await rows.findHead(tx.q, place.threadId, place.userId)) === parent.parent_id;
      if (isShown) await show(tx, place, row.id);
      return row;
    },

    async resumeReply(tx, place, replyId, runId) {
      const row = await find(tx, place.threadId, replyId, "message-not-found");
      await rows.changeMessage(tx, replyId, {
        status: "running",
        status_reason: null,
        error_code: null,
        run_id: runId,
        updated_at: place.nowMs,
      });
      await announcePut(tx, place.workspaceId, row);
      await show(tx, place, replyId);
    },

    partsOf: (row) => readStored(row.format, JSON.parse(row.content)).parts,

    async replyParts(threadId, replyId) {
      const row = await rows.findMessage(db.read, threadId, replyId);
      return row === undefined ? [] : readStored(row.format, JSON.parse(row.content)).parts;
    },

    async putReply(tx, place, replyId, reply) {
      const row = await rows.findMessage(tx.q, place.threadId, replyId);
      if (row === undefined) return;
      const content = replyContent(reply);
      const text = JSON.stringify(content);
      const status = replyStatus(reply);
      await mentions.claimAnew(tx, { ...place, messageId: replyId }, text);
      await rows.changeMessage(tx, replyId, {
        content: text,
        plain_text: cleanText(plainText(ownFormat, content)),
        status: status.type,
        status_reason: status.reason,
        error_code: status.error_code,
        updated_at: place.nowMs,
      });
      await announcePut(tx, place.workspaceId, row);
    },

    follow: async (tx, { threadIds, from, to }) =>
      await rows.moveMessages(tx, threadIds, from.userId, to.userId),

    redact: async (tx, { projectId, userId, marker }) =>
      await rows.redactMessages(tx, projectId, userId, marker),

    async tidy() {
      await db.write(async (tx) => await rows.forgetGone(tx, clock.now() - keepPlacesMs));
    },

    history,

    async historyOf({ thread_id: threadId, message_id: messageId, reply_id: replyId }) {
      if (threadId === null || replyId === null) return [];
      const parentId = (await tree.findParent(db.read, threadId, replyId)) ?? messageId;
      return parentId === null ? [] : await history(threadId, parentId);
    },
  };

  async function history(threadId: string, messageId: string): Promise<rows.MessageRow[]> {
    const { fitting } = await tree.measureUp(db.read, threadId, messageId, undefined, limits.pageCharacters);
    return (await tree.walkUp(db.read, threadId, messageId, fitting)).toReversed();
  }

  async function parentOf(
    tx: Tx,
    threadId: string,
    body: BodyOf<"messages.add">,
  ): Promise<rows.MessageRow | undefined> {
    if (body.parent_external_id != null) {
      const parent = await rows.findByExternalId(tx, threadId, cleanText(body.parent_external_id));
      if (parent === undefined) throw new AppError("parent-not-in-thread");
      return parent;
    }
    // A client that lost its map of ids sends a local one; refusing it would lose the message and stall its batch.
    if (body.parent_id === null || !body.parent_id.startsWith("msg_")) return undefined;
    return await find(tx, threadId, cleanText(body.parent_id), "parent-not-in-thread");
  }
}

function newRow({ threadId, userId, nowMs }: OwnPlace, parent: rows.MessageRow | undefined): rows.MessageRow {
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
