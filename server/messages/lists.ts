import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { Message } from "#contract/endpoints/messages.ts";
import type { Database } from "#storage/database/database.ts";
import { AppError } from "../lib/errors.ts";
import type { Mentions } from "../files/mentions.ts";
import type { ProjectKey, Visitor } from "../lib/route.ts";
import { listName, type Bookmarks } from "../threads/bookmarks.ts";
import type { Threads } from "../threads/threads.ts";
import { convertMessage } from "./formats/convert.ts";
import { presentMessage } from "./present.ts";
import * as rows from "./rows.ts";

/** The messages of a thread as the protocol lists them, page by page. */
export type MessageLists = {
  /**
   * Newest first, in the format that is asked for where they can be converted to it; an unknown thread has none. Throws
   * `bad-cursor`, `page-too-large`.
   */
  list(visitor: Visitor, threadId: string, query: QueryOf<"messages.list">): Promise<Message[]>;
  /** The same for a thread of any workspace of the key's project. */
  listOfProject(key: ProjectKey, threadId: string, query: QueryOf<"messages.list">): Promise<Message[]>;
};

export function createMessageLists(options: {
  db: Database;
  threads: Threads;
  mentions: Mentions;
  bookmarks: Pick<Bookmarks, "put" | "find">;
}): MessageLists {
  const { db, threads, mentions, bookmarks } = options;

  /** `reader` is whose walk over the pages this is. */
  async function listPage(
    threadId: string,
    reader: string,
    query: QueryOf<"messages.list">,
  ): Promise<Message[]> {
    const limit = query.limit ?? limits.messagePage;
    const list = listName("messages", threadId, reader);
    const after = query.after === undefined ? undefined : await placeOf(threadId, list, query.after);
    const characters = await rows.measureList(db, threadId, after, limit);
    // A shorter page would mean the end to the protocol's clients.
    if (characters > limits.pageCharacters) throw new AppError("page-too-large");
    const page = await rows.listMessages(db, threadId, after, limit);
    if (page.length === limit)
      bookmarks.put(
        list,
        page.map(({ id, height }) => ({ id, position: height })),
      );
    const shown = await mentions.shown({ engine: db.engine, q: db.read }, page);
    return page.map((row) => convertMessage(presentMessage(row, shown), query.format));
  }

  /** Where a cursor stood when its page was served; the message may have been deleted or moved up since. */
  async function placeOf(threadId: string, list: string, id: string): Promise<rows.Place> {
    const place =
      (await rows.findMessage(db.read, threadId, id)) ?? (await rows.findGone(db.read, threadId, id));
    if (place === undefined) throw new AppError("bad-cursor");
    return { ...place, height: (await bookmarks.find(list, id)) ?? place.height };
  }

  return {
    async list(visitor, threadId, query) {
      const isThere = await threads.get(visitor, threadId).then(present, absent);
      return isThere ? await listPage(threadId, visitor.userId, query) : [];
    },

    async listOfProject(key, threadId, query) {
      const isThere = await threads.isInProject(key, threadId);
      return isThere ? await listPage(threadId, key.credentialId, query) : [];
    },
  };
}

const present = () => true;

function absent(error: unknown): false {
  if (error instanceof AppError && error.code === "thread-not-found") return false;
  throw error;
}
