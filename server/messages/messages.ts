import type { JsonObject } from "#contract/json.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { plainText } from "#contract/parts/stored.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { FileReferences } from "../files/file-references.ts";
import type { Live } from "../live/live.ts";
import type { Quota } from "../quota/quota.ts";
import type { Bookmarks } from "../threads/bookmarks.ts";
import type { MoveHook } from "../threads/claim.ts";
import type { Erased } from "../threads/erase.ts";
import type { Threads } from "../threads/threads.ts";
import { createClientLeases, type ClientLeases } from "./client-leases/client-leases.ts";
import { moveLeases } from "./client-leases/rows.ts";
import { contentText } from "./content-text.ts";
import { createHistory, type History } from "./history.ts";
import { createMessageLists, type MessageLists } from "./lists/lists.ts";
import { createProtocolMessages, type ProtocolMessages } from "./protocol-messages.ts";
import { createReplies, partsOf, type Replies } from "./replies/replies.ts";
import { eraseSummaries } from "./summaries/invalidate.ts";
import * as rows from "./rows.ts";
import * as tree from "./tree-rows.ts";
import {
  createMessageWriter,
  findMessage,
  newRow,
  ownFormat,
  type NotFoundCode,
  type ThreadContext,
} from "./write-messages.ts";

/** The positions of deleted messages are kept this long: a client that pauses longer must list from the start. */
const keepPositionsMs = 24 * 60 * 60_000;

export type Messages = MessageLists &
  History &
  ProtocolMessages &
  Replies & {
    clientLeases: ClientLeases;
    /** In a run's transaction that holds the thread's lock: stores a person's message as a child of `parentId`. */
    addUserMessage(
      tx: Tx,
      context: ThreadContext,
      message: { id: string | undefined; parentId: string | null; content: JsonObject },
    ): Promise<rows.MessageRow>;
    /**
     * In a run's transaction: the last message of the branch through `messageId`: of the user's visible branch if it
     * goes through that message, otherwise of the deepest one. Throws `parent-not-in-thread`.
     */
    findBranchEnd(tx: Tx, context: ThreadContext, messageId: string): Promise<string>;
    /** The parts of a stored message. */
    partsOf(row: rows.MessageRow): Part[];
    /** A message of this thread. Throws `code` if it does not exist. */
    find(tx: Tx, threadId: string, messageId: string, code: NotFoundCode): Promise<rows.MessageRow>;
    /** A message of any thread: distinguishes a repeated request from an id that is taken. */
    findAnywhere(tx: Tx, messageId: string): Promise<rows.MessageRow | undefined>;
    /** In the transaction of a claim: gives the messages and visible branches of moved threads to the new user. */
    reassign: MoveHook;
    /** In the transaction of an erasure: empties the person's messages in threads that are kept. */
    redact(tx: Tx, person: Erased): Promise<void>;
    /** Deletes the positions of messages that were deleted more than a day ago. */
    deleteOld(): Promise<void>;
  };

export function createMessages(options: {
  db: Database;
  threads: Threads;
  live: Live;
  clock: Clock;
  fileReferences: FileReferences;
  bookmarks: Pick<Bookmarks, "save" | "find">;
  quota: Quota;
}): Messages {
  const { db, clock, fileReferences } = options;
  const writer = createMessageWriter(options);
  return {
    ...createMessageLists(options),
    ...createHistory(options),
    ...createProtocolMessages({ ...options, writer }),
    ...createReplies({ db, writer }),
    clientLeases: createClientLeases({ ...options, writer }),

    async addUserMessage(tx, context, message) {
      const parent =
        message.parentId === null
          ? undefined
          : await findMessage(tx, context.threadId, message.parentId, "parent-not-in-thread");
      const row: rows.MessageRow = {
        ...newRow(context, parent),
        ...(message.id === undefined ? {} : { id: message.id }),
        role: "user",
        content: fileReferences.forStorage(contentText(message.content)),
        plain_text: cleanText(plainText(ownFormat, message.content)),
      };
      await writer.insert(tx, context, row);
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

    partsOf,
    find: findMessage,
    findAnywhere: async (tx, id) => await rows.findMessageAnywhere(tx, id),

    async reassign(tx, move) {
      const { threadIds, from, to } = move;
      await rows.reassignMessages(tx, threadIds, from.userId, to.userId);
      await moveLeases(tx, move);
    },

    async redact(tx, { appId, userId, marker }) {
      await eraseSummaries(tx, appId, userId);
      await rows.redactMessages(tx, appId, userId, marker);
    },

    async deleteOld() {
      await db.write(async (tx) => await rows.pruneDeleted(tx, clock.now() - keepPositionsMs));
    },
  };
}
