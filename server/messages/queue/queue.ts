import type { JsonObject } from "#contract/json.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { QueuedMessage } from "#contract/endpoints/messages.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { memberUrls, type FileReferences } from "../../files/file-references.ts";
import type { Live } from "../../live/live.ts";
import { isOwnUser, type Visitor } from "../../lib/route.ts";
import type { Quota } from "../../quota/quota.ts";
import type { MoveHook } from "../../threads/claim.ts";
import type { Erased } from "../../threads/erase.ts";
import type { Threads } from "../../threads/threads.ts";
import { contentText } from "../content-text.ts";
import { isHeld, presentQueued } from "../present.ts";
import { askersOf } from "../authors.ts";
import * as queueRows from "./rows.ts";
import * as rows from "../rows.ts";
import type { ThreadContext } from "../write-messages.ts";

/** A removed entry is kept for a day, to recognize a repeat of the request that queued it. Repeats come much sooner. */
const keepRemovedMs = 24 * 60 * 60_000;

export type { QueuedRow } from "./rows.ts";

/**
 * Messages that people sent while a reply was being written. An entry waits after that reply. When the reply is
 * complete, the first entry becomes a message with its own id, and the others wait after its reply. If the reply failed
 * or was interrupted, its entries are held until a person sends them. Every change locks the thread first, so that
 * changes to one queue happen one after another on all servers.
 */
export type Queue = {
  /** The entries of all branches of a thread, in order. */
  list(visitor: Visitor, threadId: string): Promise<QueuedMessage[]>;
  /** How many entries all threads have. */
  count(): Promise<number>;
  /**
   * Replaces an entry's content. With `restore`, a removed entry returns to its old position. Throws
   * `thread-not-found`, `queued-not-found`, `too-large`, `queue-full`, `quota-full`.
   */
  update(
    visitor: Visitor,
    threadId: string,
    id: string,
    content: JsonObject,
    restore?: boolean,
  ): Promise<void>;
  /** Removes an entry; does nothing if it is removed already. Throws `thread-not-found`, `queued-not-found`. */
  remove(visitor: Visitor, threadId: string, id: string): Promise<void>;

  /** In a run's transaction: appends an entry to the thread's queue. Throws `too-large`, `queue-full`. */
  add(tx: Tx, context: ThreadContext, entry: NewEntry): Promise<QueuedMessage>;
  /** In a run's transaction: an entry of this thread that is not removed. */
  find(tx: Tx, threadId: string, id: string): Promise<queueRows.QueuedRow | undefined>;
  /** In any workspace, also a removed entry: distinguishes a repeated request from an id that is taken. */
  findAnywhere: typeof queueRows.findQueuedAnywhere;
  present(tx: Tx, row: queueRows.QueuedRow): Promise<QueuedMessage>;
  /** In a run's transaction: the entries after this reply, in order. */
  listAfter(tx: Tx, threadId: string, parentId: string): Promise<queueRows.QueuedRow[]>;
  /** In a run's transaction: deletes an entry that became a message, and moves the others after its reply. */
  markSent(tx: Tx, context: Omit<ThreadContext, "userId">, row: queueRows.QueuedRow): Promise<void>;
  /**
   * In a run's transaction: when a person continues where the queue is on hold (a new message, a regeneration, even of a
   * deleted reply, or an edited question), moves its entries behind the new reply.
   */
  moveHeldAfter(tx: Tx, context: ThreadContext, message: rows.MessageRow, replyId: string): Promise<void>;

  /** In a transaction of the thread: moves the entries after these replies behind another one. */
  gatherAfter(tx: Tx, context: ThreadContext, replyIds: string[], replyId: string): Promise<void>;

  /** In the transaction of a claim: gives the entries of moved threads to the new user. */
  reassign: MoveHook;
  /** In the transaction of an erasure: deletes the person's entries in threads that are kept. */
  erase(tx: Tx, person: Erased): Promise<void>;
  /** Deletes entries that were removed more than a day ago. */
  deleteOld(): Promise<void>;
};

export type NewEntry = {
  id: string | undefined;
  parentId: string;
  content: JsonObject;
  assistantId: string;
  model: string;
  effort: string | null;
  runId: string;
  replyId: string | undefined;
  hash: string;
  timeZone: string | null;
};

export function createQueue(options: {
  db: Database;
  threads: Threads;
  live: Live;
  clock: Clock;
  fileReferences: FileReferences;
  quota: Quota;
}): Queue {
  const { db, threads, live, clock, fileReferences, quota } = options;

  async function announce(tx: Tx, workspaceId: string, threadId: string): Promise<void> {
    await live.announce(tx, workspaceId, [{ type: "queue-put", thread_id: threadId }]);
  }

  /** Throws `queue-full` if the queue has no space for this much more. Returns the next free position. */
  async function checkCapacity(
    tx: Tx,
    threadId: string,
    more: { count: number; characters: number },
  ): Promise<number> {
    const { count, characters, nextPosition } = await queueRows.measureQueue(tx, threadId);
    if (count + more.count > limits.queuedMax || characters + more.characters > limits.queuedCharacters)
      throw new AppError("queue-full");
    return nextPosition;
  }

  /**
   * Whether `message` answers the reply `heldAfterId`, repeats its question, or has the same parent as that question.
   */
  async function isContinuedBy(tx: Tx, message: rows.MessageRow, heldAfterId: string): Promise<boolean> {
    if (heldAfterId === message.id || heldAfterId === message.parent_id) return true;
    const reply = await rows.findMessage(tx.q, message.thread_id, heldAfterId);
    if (reply?.parent_id == null) return false;
    const question = await rows.findMessage(tx.q, message.thread_id, reply.parent_id);
    return question !== undefined && (question.id === message.id || question.parent_id === message.parent_id);
  }

  async function present(tx: Tx, row: queueRows.QueuedRow): Promise<QueuedMessage> {
    const parent = await rows.findMessage(tx.q, row.thread_id, row.parent_id);
    const signUrls = await fileReferences.urlSigner(tx, [row]);
    return presentQueued({ ...row, parent_status: parent?.status ?? "complete" }, undefined, signUrls);
  }

  return {
    async list(visitor, threadId) {
      const entries = await queueRows.listQueued(db.read, threadId);
      const signUrls =
        memberUrls(visitor) ?? (await fileReferences.urlSigner({ engine: db.engine, q: db.read }, entries));
      const askers = await askersOf(
        db,
        visitor,
        entries.map((row) => row.created_by),
      );
      return entries.map((row) => presentQueued(row, askers.get(row.created_by), signUrls));
    },

    count: async () => await queueRows.countQueued(db.read),

    async update(visitor, threadId, id, content, restore = false) {
      const text = fileReferences.forStorage(contentText(content));
      await db.write(async (tx) => {
        const nowMs = clock.now();
        await threads.lock(tx, visitor, threadId);
        const row = await queueRows.findQueued(tx, threadId, id);
        const isRemoved = row !== undefined && row.removed_at !== null;
        if (row === undefined || (isRemoved && !restore)) throw new AppError("queued-not-found");
        // Only its author may change a queued message.
        if (isOwnUser(visitor) && row.created_by !== visitor.userId) throw new AppError("queued-not-found");
        await checkCapacity(tx, threadId, {
          count: isRemoved ? 1 : 0,
          characters: text.length - row.content.length,
        });
        await queueRows.updateQueued(tx, id, { content: text, updated_at: nowMs, removed_at: null });
        if (text.length > row.content.length) await quota.checkMessage(tx, threadId, visitor);
        const { workspaceId, userId } = visitor;
        await fileReferences.replace(tx, { workspaceId, threadId, messageId: id, userId, nowMs }, text);
        await announce(tx, visitor.workspaceId, threadId);
      });
    },

    async remove(visitor, threadId, id) {
      await db.write(async (tx) => {
        await threads.lock(tx, visitor, threadId);
        const row = await queueRows.findQueued(tx, threadId, id);
        const isOthers = visitor.memberAccess !== undefined && row?.created_by !== visitor.userId;
        if (row === undefined || isOthers) throw new AppError("queued-not-found");
        if (row.removed_at !== null) return;
        const nowMs = clock.now();
        await queueRows.updateQueued(tx, id, { content: "", removed_at: nowMs });
        const { workspaceId } = visitor;
        await fileReferences.replace(tx, { workspaceId, threadId, messageId: id, nowMs }, "");
        await announce(tx, visitor.workspaceId, threadId);
      });
    },

    async add(tx, context, entry) {
      const content = fileReferences.forStorage(contentText(entry.content));
      const position = await checkCapacity(tx, context.threadId, { count: 1, characters: content.length });
      const row: queueRows.QueuedRow = {
        id: entry.id ?? newId("message", context.nowMs),
        thread_id: context.threadId,
        parent_id: entry.parentId,
        position,
        content,
        assistant_id: entry.assistantId,
        model: entry.model,
        run_id: entry.runId,
        reply_id: entry.replyId ?? newId("message", context.nowMs),
        request_hash: entry.hash,
        reasoning_effort: entry.effort,
        time_zone: entry.timeZone,
        created_by: context.userId,
        created_at: context.nowMs,
        updated_at: context.nowMs,
        removed_at: null,
      };
      await queueRows.insertQueued(tx, row);
      await fileReferences.add(tx, { ...context, messageId: row.id }, content);
      await announce(tx, context.workspaceId, context.threadId);
      return await present(tx, row);
    },

    async find(tx, threadId, id) {
      const row = await queueRows.findQueued(tx, threadId, id);
      return row?.removed_at === null ? row : undefined;
    },

    findAnywhere: queueRows.findQueuedAnywhere,
    present,
    listAfter: queueRows.listAfter,

    async markSent(tx, context, row) {
      await queueRows.deleteQueued(tx, row.id);
      await queueRows.moveAfter(tx, context.threadId, [row.parent_id], row.reply_id);
      await announce(tx, context.workspaceId, context.threadId);
    },

    async moveHeldAfter(tx, context, message, replyId) {
      const entries = await queueRows.listQueued(tx.q, context.threadId);
      const heldAfter = new Set(entries.filter(isHeld).map((row) => row.parent_id));
      const continued: string[] = [];
      for (const id of heldAfter) if (await isContinuedBy(tx, message, id)) continued.push(id);
      if (continued.length === 0) return;
      await queueRows.moveAfter(tx, context.threadId, continued, replyId);
      await announce(tx, context.workspaceId, context.threadId);
    },

    async gatherAfter(tx, { threadId, workspaceId }, replyIds, replyId) {
      await queueRows.moveAfter(tx, threadId, replyIds, replyId);
      await announce(tx, workspaceId, threadId);
    },

    reassign: async (tx, { threadIds, from, to }) =>
      await queueRows.reassignQueued(tx, threadIds, from.userId, to.userId),

    async erase(tx, { appId, userId }) {
      for (const row of await queueRows.deleteQueuedOf(tx, appId, userId))
        await announce(tx, row.workspace_id, row.thread_id);
    },

    async deleteOld() {
      await db.write(async (tx) => await queueRows.pruneRemoved(tx, clock.now() - keepRemovedMs));
    },
  };
}
