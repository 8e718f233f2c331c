import type { Database } from "#storage/database/database.ts";
import { limits } from "#contract/limits.ts";
import * as rows from "./rows.ts";
import { shownHead } from "./visible-head.ts";
import type { Outline } from "./tree-rows.ts";
import * as tree from "./tree-rows.ts";

/** Whole threads, to be read from one end to the other at flat memory. */
export type Transcripts = {
  /** All messages of a thread as of one moment; a parent stands before its children. */
  whole(threadId: string): Promise<Outline>;
  /** The branch that ends in `headId` as of one moment, from the top down. */
  branch(threadId: string, headId: string): Promise<Outline>;
  /** Where the branch ends that is shown to a person; `undefined` in a thread without a message. */
  headOf(userId: string, threadId: string): Promise<string | undefined>;
  /** The messages of an outline in its order; those that were deleted since are left out, as is all below them. */
  read(threadId: string, outline: Outline): AsyncGenerator<rows.MessageRow[]>;
};

/** Messages that are read at once, at the most, and what they may have together: the page of a run of long ones. */
const pageRows = 200;
const pageCharacters = limits.messageContentBytes / 4;

export function createTranscripts({ db }: { db: Database }): Transcripts {
  return {
    whole: async (threadId) => await tree.outlineOf(db.readWorker, threadId),
    branch: async (threadId, headId) => (await tree.outlineUp(db.readWorker, threadId, headId)).toReversed(),
    headOf: async (userId, threadId) => await shownHead(db.read, threadId, userId),
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
