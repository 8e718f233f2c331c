import type { JsonObject } from "#contract/json.ts";
import type { ExportedMessage } from "#contract/endpoints/exports.ts";
import type { Maker } from "#contract/endpoints/messages.ts";
import { plainText } from "#contract/parts/stored.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { AppError } from "../lib/errors.ts";
import type { Mentions } from "../files/mentions.ts";
import type { Live } from "../live/live.ts";
import { contentText } from "./content-text.ts";
import * as rows from "./rows.ts";

/** Messages that come from elsewhere, with ids, times and places of their own. */
export type BroughtMessages = {
  /** What a thread holds already. */
  standingOf(threadId: string): Promise<Standing>;
  /** Those of `ids` that messages have already, in whosever thread. */
  taken(ids: string[]): Promise<Set<string>>;
  /** A message as its row will be. Throws `too-large`. */
  rowOf(place: BroughtPlace, message: BroughtMessage): rows.MessageRow;
  /**
   * In a transaction that holds the thread: stores rows, parents first, each one below its parent, and keeps the files
   * that they name. Throws `parent-not-in-thread` where somebody deleted a parent meanwhile.
   */
  put(tx: Tx, place: BroughtPlace, messages: rows.MessageRow[]): Promise<void>;
  /** In a transaction that holds the thread: shows the visitor the branch that ends here. */
  show(tx: Tx, place: BroughtPlace, messageId: string): Promise<void>;
  /** Tells who looks at the thread that there is more in it than before. */
  announce(tx: Tx, place: BroughtPlace, row: rows.MessageRow): Promise<void>;
};

/** The ids of a thread's messages, and those of them that an application named, by its own id. */
export type Standing = { ids: Set<string>; byExternalId: Map<string, string> };

export type BroughtPlace = { workspaceId: string; threadId: string; userId: string; nowMs: number };

/** What is known of it. */
export type BroughtMessage = Pick<ExportedMessage, "id" | "parent_id" | "role" | "format" | "content"> & {
  external_id: string | null;
  madeBy: Maker | null;
  status: Pick<rows.MessageRow, "status" | "status_reason" | "error_code">;
  createdAtMs: number;
  updatedAtMs: number;
};

export function createBroughtMessages(options: {
  db: Database;
  live: Live;
  mentions: Mentions;
}): BroughtMessages {
  const { db, live, mentions } = options;
  return {
    async standingOf(threadId) {
      const there = await rows.listIds(db, threadId);
      const named = there.filter((row) => row.external_id !== null);
      return {
        ids: new Set(there.map(({ id }) => id)),
        byExternalId: new Map(named.map((row) => [row.external_id!, row.id])),
      };
    },
    taken: async (ids) => new Set(ids.length === 0 ? [] : await rows.findTakenIds(db, ids)),
    rowOf: (place, { status, madeBy, createdAtMs, updatedAtMs, ...message }) => ({
      ...message,
      ...status,
      // Its parent's may change until it is stored.
      height: 0,
      status_reason: cleanWord(status.status_reason),
      error_code: cleanWord(status.error_code),
      thread_id: place.threadId,
      external_id: message.external_id === null ? null : cleanText(message.external_id),
      format: cleanText(message.format),
      content: mentions.kept(contentText(message.content)),
      plain_text: cleanText(plainText(message.format, message.content satisfies JsonObject)),
      run_id: null,
      made_by: madeBy === null ? null : JSON.stringify(madeBy),
      created_by: place.userId,
      created_at: createdAtMs,
      updated_at: updatedAtMs,
    }),
    async put(tx, place, messages) {
      await rows.insertMessages(tx, await withHeights(tx, place.threadId, messages));
      const texts = messages.map(({ id, content }) => ({ messageId: id, text: content }));
      await mentions.claimAll(tx, place, texts);
    },
    show: async (tx, { threadId, userId, nowMs }, messageId) =>
      await rows.putHead(tx, {
        thread_id: threadId,
        user_id: userId,
        message_id: messageId,
        updated_at: nowMs,
      }),
    announce: async (tx, { workspaceId, threadId }, row) =>
      await live.announce(tx, workspaceId, [
        { type: "message-put", thread_id: threadId, message_id: row.id, parent_id: row.parent_id },
      ]),
  };
}

async function withHeights(
  tx: Tx,
  threadId: string,
  messages: rows.MessageRow[],
): Promise<rows.MessageRow[]> {
  const parentIds = messages.map((row) => row.parent_id).filter((id) => id !== null);
  const heights = await rows.findHeights(tx, threadId, parentIds);
  return messages.map((row) => {
    const above = row.parent_id === null ? -1 : heights.get(row.parent_id);
    if (above === undefined) throw new AppError("parent-not-in-thread");
    heights.set(row.id, above + 1);
    return { ...row, height: above + 1 };
  });
}

function cleanWord(word: string | null): string | null {
  return word === null ? null : cleanText(word);
}
