import { createHash } from "node:crypto";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import * as rows from "./bookmark-rows.ts";

/**
 * Where pages of a list ended when they were served. A page's cursor is the id of its last row alone, and that row may
 * have moved by the time of the next page, so the place has to be remembered: at once in this process, and a little
 * later, together with others, in the database, for other processes and for after a restart.
 */
export type Bookmarks = {
  /** Notes where the row `last` of a full page stood; and the others too, where an earlier note of them is older now. */
  put(list: string, page: readonly rows.Position[]): void;
  /** Where the row of this id stood when it was last noted. */
  find(list: string, id: string): Promise<number | undefined>;
  /** Forgets what no walk is likely to ask for any more. */
  tidy(): Promise<void>;
  /** Saves what is not saved yet. */
  close(): Promise<void>;
};

/** A walk that stood still for a day begins anew. */
const keepMs = 24 * 60 * 60_000;
/** Some 200 bytes each. Older ones are in the database. */
const rememberedMax = 10_000;

export function createBookmarks(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  /** How long a note may wait to be saved: not long where another process may be asked for the next page. */
  saveAfterMs: number;
}): Bookmarks {
  const { db, clock, logger } = options;
  const remembered = new Map<string, number>();
  let unsaved = new Map<string, rows.Bookmark>();
  let saving: Promise<void> | undefined;
  const closing = new AbortController();

  function note(list: string, { id, position }: rows.Position): void {
    const key = keyOf(list, id);
    remembered.delete(key);
    remembered.set(key, position);
    if (remembered.size > rememberedMax) remembered.delete(remembered.keys().next().value!);
    unsaved.set(key, { list, id, position, served_at: clock.now() });
    saving ??= saveSoon().finally(() => (saving = undefined));
  }

  async function saveSoon(): Promise<void> {
    while (unsaved.size > 0) {
      await clock.sleep(options.saveAfterMs, closing.signal).catch(() => {});
      const batch = [...unsaved.values()];
      unsaved = new Map();
      // Lost notes cost no more than rows that a walk sees twice.
      await db
        .write(async (tx) => await rows.saveBookmarks(tx, batch))
        .catch((error: unknown) => logger.warn({ err: error }, "bookmarks were not saved"));
    }
  }

  return {
    put(list, page) {
      const last = page.at(-1);
      for (const row of page) if (row === last || remembered.has(keyOf(list, row.id))) note(list, row);
    },
    async find(list, id) {
      return remembered.get(keyOf(list, id)) ?? (await rows.findBookmark(db, list, id));
    },
    async tidy() {
      await db.write(async (tx) => await rows.dropBookmarks(tx, clock.now() - keepMs));
    },
    async close() {
      closing.abort(new Error("the server is going down"));
      await saving;
    },
  };
}

/** The name of one list: whose it is and how it is filtered. It tells neither. */
export function listName(...parts: (string | boolean | undefined)[]): string {
  return createHash("sha256")
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest("base64url");
}

function keyOf(list: string, id: string): string {
  return `${list} ${id}`;
}
