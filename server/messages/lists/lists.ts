import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { Message } from "#contract/endpoints/messages.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { createYielder } from "../../lib/concurrency/yield-to-event-loop.ts";
import { AppError } from "../../lib/errors.ts";
import type { FileReferences } from "../../files/file-references.ts";
import type { AppKey, Visitor } from "../../lib/route.ts";
import { listName, type Bookmarks } from "../../threads/bookmarks.ts";
import type { Threads } from "../../threads/threads.ts";
import { presentRun } from "../client-leases/present.ts";
import { convertMessage } from "../formats/convert.ts";
import { presentMessage } from "../present.ts";
import { findMessage } from "../rows.ts";
import * as rows from "./message-list-rows.ts";

/** Pages of a thread's messages, as the protocol lists them. */
export type MessageLists = {
  /**
   * Newest first, converted to the requested format where that is possible. Empty for an unknown thread. Throws
   * `page-too-large`.
   */
  list(visitor: Visitor, threadId: string, query: QueryOf<"messages.list">): Promise<Message[]>;
  /** Like `list`, for a thread of any workspace of the key's app. */
  listOfApp(key: AppKey, threadId: string, query: QueryOf<"messages.list">): Promise<Message[]>;
};

export function createMessageLists(options: {
  db: Database;
  threads: Threads;
  clock: Clock;
  fileReferences: FileReferences;
  bookmarks: Pick<Bookmarks, "save" | "find">;
}): MessageLists {
  const { db, threads, clock, fileReferences, bookmarks } = options;

  /** `reader` separates the bookmarks of different readers of the same list. */
  async function listPage(
    threadId: string,
    reader: string,
    query: QueryOf<"messages.list">,
  ): Promise<Message[]> {
    const limit = query.limit ?? limits.messagePage;
    const list = listName("messages", threadId, reader);
    const after = query.after === undefined ? undefined : await positionOf(threadId, list, query.after);
    const characters = await rows.measurePage(db, threadId, after, limit);
    // The protocol's clients take a shorter page for the last one.
    if (characters > limits.pageCharacters) throw new AppError("page-too-large");
    const page = await rows.listMessages(db, threadId, after, limit);
    if (page.length === limit)
      bookmarks.save(
        list,
        page.map(({ id, height }) => ({ id, position: height })),
      );
    const signUrls = await fileReferences.urlSigner({ engine: db.engine, q: db.read }, page);
    const nowMs = clock.now();
    const yieldNow = createYielder();
    const messages: Message[] = [];
    for (const row of page) {
      const run = presentRun(row, row.lease, nowMs);
      messages.push(convertMessage(presentMessage(row, signUrls, run), query.format));
      await yieldNow();
    }
    return messages;
  }

  /**
   * The cursor's position when its page was served. The message may have been deleted or moved up since. `undefined`, so
   * the list starts again, if there is no such message.
   */
  async function positionOf(
    threadId: string,
    list: string,
    id: string,
  ): Promise<rows.ListPosition | undefined> {
    const position =
      (await findMessage(db.read, threadId, id)) ?? (await rows.findDeleted(db.read, threadId, id));
    if (position === undefined) return undefined;
    return { ...position, height: (await bookmarks.find(list, id)) ?? position.height };
  }

  async function exists(visitor: Visitor, threadId: string): Promise<boolean> {
    try {
      await threads.get(visitor, threadId);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === "thread-not-found") return false;
      throw error;
    }
  }

  return {
    async list(visitor, threadId, query) {
      return (await exists(visitor, threadId)) ? await listPage(threadId, visitor.userId, query) : [];
    },

    async listOfApp(key, threadId, query) {
      const isFound = await threads.isInApp(key, threadId);
      return isFound ? await listPage(threadId, key.credentialId, query) : [];
    },
  };
}
