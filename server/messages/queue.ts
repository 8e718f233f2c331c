import type { JsonObject } from "#contract/json.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { QueuedMessage } from "#contract/endpoints/messages.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Mentions } from "../files/mentions.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../lib/route.ts";
import type { Follower } from "../threads/claim.ts";
import type { Erased } from "../threads/erase.ts";
import type { Threads } from "../threads/threads.ts";
import { contentText } from "./content-text.ts";
import type { OwnPlace } from "./messages.ts";
import { isHeld, presentQueued } from "./present.ts";
import * as queueRows from "./queue-rows.ts";
import * as rows from "./rows.ts";

/** What was taken out is remembered for a day: a repeat of the request that put it there comes much sooner. */
const keepRemovedMs = 24 * 60 * 60_000;

export type { QueuedRow } from "./queue-rows.ts";

/**
 * What people said while an answer was being written. An entry waits after that reply. When its turn comes it becomes a
 * message under its own id, and the others wait after its answer. An entry after a reply that is not being written any
 * more is held: nothing sends it but a person. Every change holds the thread first, so that entries of one thread are
 * put there, taken out and sent one after another, whichever server does it.
 */
export type Queue = {
  /** What waits in a thread, in order, on any of its branches. */
  list(threadId: string): Promise<QueuedMessage[]>;
  /**
   * Gives it other words; with `restore` also to one that was taken out, which waits again where it did. Throws
   * `thread-not-found`, `queued-not-found`, `too-large`, `queue-full`.
   */
  update(
    visitor: Visitor,
    threadId: string,
    id: string,
    content: JsonObject,
    restore?: boolean,
  ): Promise<void>;
  /** Takes it out; a second time does nothing. Throws `thread-not-found`, `queued-not-found`. */
  remove(visitor: Visitor, threadId: string, id: string): Promise<void>;

  /** In a run's transaction: puts an entry at the end of what waits in the thread. Throws `too-large`, `queue-full`. */
  add(tx: Tx, place: OwnPlace, entry: NewEntry): Promise<QueuedMessage>;
  /** In a run's transaction: an entry of this thread that waits. */
  find(tx: Tx, threadId: string, id: string): Promise<queueRows.QueuedRow | undefined>;
  /** Whosever it is, also one that was taken out: for telling a repeated request from an id that is taken. */
  findAnywhere: typeof queueRows.findQueuedAnywhere;
  /** As it is shown. */
  present(tx: Tx, row: queueRows.QueuedRow): Promise<QueuedMessage>;
  /** In a run's transaction: the first that waits after this reply. */
  first(tx: Tx, threadId: string, parentId: string): Promise<queueRows.QueuedRow | undefined>;
  /** In a run's transaction: it is a message now, and the others wait after the reply to it. */
  sent(tx: Tx, place: Omit<OwnPlace, "userId">, row: queueRows.QueuedRow): Promise<void>;
  /**
   * In a run's transaction: someone goes on by hand from where entries are held: below the reply they are after, by
   * another answer in its place, also where that reply was deleted, or by other words for its question. They wait after
   * the new reply then.
   */
  bringAlong(tx: Tx, place: OwnPlace, message: rows.MessageRow, replyId: string): Promise<void>;

  /** In the transaction of a claim: brings along who queued what. */
  follow: Follower;
  /** In the transaction of an erasure: drops what this person queued in threads that stay. */
  erase(tx: Tx, who: Erased): Promise<void>;
  /** Forgets what was taken out more than a day ago. */
  tidy(): Promise<void>;
};

export type NewEntry = {
  id: string | undefined;
  parentId: string;
  content: JsonObject;
  assistantId: string;
  model: string;
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
  mentions: Mentions;
}): Queue {
  const { db, threads, live, clock, mentions } = options;

  async function announce(tx: Tx, workspaceId: string, threadId: string): Promise<void> {
    await live.announce(tx, workspaceId, [{ type: "queue-put", thread_id: threadId }]);
  }

  /** Throws where this many more characters do not fit beside what waits already. */
  async function makeRoom(
    tx: Tx,
    threadId: string,
    more: { count: number; characters: number },
  ): Promise<number> {
    const { count, characters, nextPosition } = await queueRows.measureQueue(tx, threadId);
    if (count + more.count > limits.queuedMax || characters + more.characters > limits.queuedCharacters)
      throw new AppError("queue-full");
    return nextPosition;
  }

  async function present(tx: Tx, row: queueRows.QueuedRow): Promise<QueuedMessage> {
    const parent = await rows.findMessage(tx.q, row.thread_id, row.parent_id);
    const shown = await mentions.shown(tx, [row]);
    return presentQueued({ ...row, parent_status: parent?.status ?? "complete" }, shown);
  }

  return {
    async list(threadId) {
      const waiting = await queueRows.listQueued(db.read, threadId);
      const shown = await mentions.shown({ engine: db.engine, q: db.read }, waiting);
      return waiting.map((row) => presentQueued(row, shown));
    },

    async update(visitor, threadId, id, content, restore = false) {
      const text = mentions.kept(contentText(content));
      await db.write(async (tx) => {
        const nowMs = clock.now();
        await threads.hold(tx, visitor, threadId);
        const row = await queueRows.findQueued(tx, threadId, id);
        const isOut = row !== undefined && row.removed_at !== null;
        if (row === undefined || (isOut && !restore)) throw new AppError("queued-not-found");
        await makeRoom(tx, threadId, {
          count: isOut ? 1 : 0,
          characters: text.length - row.content.length,
        });
        await queueRows.changeQueued(tx, id, { content: text, updated_at: nowMs, removed_at: null });
        const { workspaceId } = visitor;
        await mentions.claimAnew(tx, { workspaceId, threadId, messageId: id, nowMs }, text);
        await announce(tx, visitor.workspaceId, threadId);
      });
    },

    async remove(visitor, threadId, id) {
      await db.write(async (tx) => {
        await threads.hold(tx, visitor, threadId);
        const row = await queueRows.findQueued(tx, threadId, id);
        if (row === undefined) throw new AppError("queued-not-found");
        if (row.removed_at !== null) return;
        const nowMs = clock.now();
        await queueRows.changeQueued(tx, id, { content: "", removed_at: nowMs });
        const { workspaceId } = visitor;
        await mentions.claimAnew(tx, { workspaceId, threadId, messageId: id, nowMs }, "");
        await announce(tx, visitor.workspaceId, threadId);
      });
    },

    async add(tx, place, entry) {
      const content = mentions.kept(contentText(entry.content));
      const position = await makeRoom(tx, place.threadId, { count: 1, characters: content.length });
      const row: queueRows.QueuedRow = {
        id: entry.id ?? newId("message", place.nowMs),
        thread_id: place.threadId,
        parent_id: entry.parentId,
        position,
        content,
        assistant_id: entry.assistantId,
        model: entry.model,
        run_id: entry.runId,
        reply_id: entry.replyId ?? newId("message", place.nowMs),
        request_hash: entry.hash,
        time_zone: entry.timeZone,
        created_by: place.userId,
        created_at: place.nowMs,
        updated_at: place.nowMs,
        removed_at: null,
      };
      await queueRows.insertQueued(tx, row);
      await mentions.claim(tx, { ...place, messageId: row.id }, content);
      await announce(tx, place.workspaceId, place.threadId);
      return await present(tx, row);
    },

    async find(tx, threadId, id) {
      const row = await queueRows.findQueued(tx, threadId, id);
      return row?.removed_at === null ? row : undefined;
    },

    findAnywhere: queueRows.findQueuedAnywhere,
    present,
    first: queueRows.firstBehind,

    async sent(tx, place, row) {
      await queueRows.deleteQueued(tx, row.id);
      await queueRows.moveBehind(tx, place.threadId, [row.parent_id], row.reply_id);
      await announce(tx, place.workspaceId, place.threadId);
    },

    async bringAlong(tx, place, message, replyId) {
      const waiting = await queueRows.listQueued(tx.q, place.threadId);
      const held = new Set(waiting.filter(isHeld).map((row) => row.parent_id));
      const left: string[] = [];
      for (const id of held) {
        const reply = await rows.findMessage(tx.q, place.threadId, id);
        const question =
          reply?.parent_id == null
            ? undefined
            : await rows.findMessage(tx.q, place.threadId, reply.parent_id);
        const isGoneOnFrom =
          id === message.id ||
          id === message.parent_id ||
          question?.id === message.id ||
          (question !== undefined && question.parent_id === message.parent_id);
        if (isGoneOnFrom) left.push(id);
      }
      if (left.length === 0) return;
      await queueRows.moveBehind(tx, place.threadId, left, replyId);
      await announce(tx, place.workspaceId, place.threadId);
    },

    follow: async (tx, { threadIds, from, to }) =>
      await queueRows.moveQueued(tx, threadIds, from.userId, to.userId),

    async erase(tx, { projectId, userId }) {
      for (const row of await queueRows.deleteQueuedOf(tx, projectId, userId))
        await announce(tx, row.workspace_id, row.thread_id);
    },

    async tidy() {
      await db.write(async (tx) => await queueRows.forgetRemoved(tx, clock.now() - keepRemovedMs));
    },
  };
}
