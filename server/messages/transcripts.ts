import type { Database } from "#storage/database/database.ts";
import { limits } from "#contract/limits.ts";
import * as rows from "./rows.ts";
import { findVisibleHead } from "./visible-head.ts";
import type { Outline } from "./tree-rows.ts";
import * as tree from "./tree-rows.ts";

/** Reads whole threads page by page, so that memory does not grow with their size. */
export type Transcripts = {
  /** All messages of a thread at one moment, parents before their children. */
  outlineThread(threadId: string): Promise<Outline>;
  /** The branch that ends in `headId` at one moment, from the root down. */
  outlineBranch(threadId: string, headId: string): Promise<Outline>;
  /** The last message of the user's visible branch; `undefined` in a thread without messages. */
  findHead(userId: string, threadId: string): Promise<string | undefined>;
  /** The messages of an outline, in its order. Leaves out messages that were deleted since. */
  read(threadId: string, outline: Outline): AsyncGenerator<rows.MessageRow[]>;
};

/** The largest page: a number of messages, and the characters of their content together. */
const pageRows = 200;
const pageCharacters = limits.messageContentBytes / 4;

export function createTranscripts({ db }: { db: Database }): Transcripts {
  return {
    outlineThread: async (threadId) => await tree.outlineThread(db.readWorker, threadId),
    outlineBranch: async (threadId, headId) =>
      (await tree.outlineAncestors(db.readWorker, threadId, headId)).toReversed(),
    findHead: async (userId, threadId) => await findVisibleHead(db.read, threadId, userId),
    async *read(threadId, outline) {
      for (const ids of pagesOf(outline)) {
        const found = await rows.findMessages(db, threadId, ids);
        yield ids.map((id) => found.get(id)).filter((row) => row !== undefined);
      }
    },
  };
}

function* pagesOf(outline: Outline): Generator<string[]> {
  let ids: string[] = [];
  let characters = 0;
  for (const message of outline) {
    if (ids.length > 0 && (ids.length === pageRows || characters + message.characters > pageCharacters)) {
      yield ids;
      ids = [];
      characters = 0;
    }
    ids.push(message.id);
    characters += message.characters;
  }
  if (ids.length > 0) yield ids;
}
