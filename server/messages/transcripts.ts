import type { Database } from "#storage/database/database.ts";
import { limits } from "#contract/limits.ts";
import { withoutLeases } from "./client-leases/without-leases.ts";
import * as rows from "./rows.ts";
import { findVisibleHead } from "./visible-head.ts";
import type { Outline } from "./tree-rows.ts";
import * as tree from "./tree-rows.ts";

/** The largest page: a number of messages, and the characters of their content together. */
const pageRows = 200;
const pageCharacters = limits.messageContentBytes / 4;

export type Transcripts = ReturnType<typeof createTranscripts>;

/** Reads whole threads page by page, so that memory does not grow with their size. */
export function createTranscripts({ db }: { db: Database }) {
  return {
    /** All messages of a thread at one moment, parents before their children. */
    outlineThread: async (threadId: string) => await tree.outlineThread(db.readWorker, threadId),
    /** The branch that ends in `headId` at one moment, from the root down. */
    outlineBranch: async (threadId: string, headId: string) =>
      (await tree.outlineAncestors(db.readWorker, threadId, headId)).toReversed(),
    /** The last message of the user's visible branch; `undefined` in a thread without messages. */
    findHead: async (userId: string, threadId: string) => await findVisibleHead(db.read, threadId, userId),
    /**
     * The messages of an outline, in its order, as an export has them. Leaves out messages that were deleted since.
     */
    async *read(threadId: string, outline: Outline): AsyncGenerator<rows.MessageRow[]> {
      for (const ids of pagesOf(outline)) {
        const found = await rows.findMessages(db, threadId, ids);
        const ordered = ids.map((id) => found.get(id)).filter((row) => row !== undefined);
        yield await withoutLeases({ engine: db.engine, q: db.readWorker }, ordered);
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
