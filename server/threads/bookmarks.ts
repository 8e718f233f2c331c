import { createHash } from "node:crypto";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import * as rows from "./bookmark-rows.ts";

/** A client that pauses for longer between two pages must list from the start. */
const keepMs = 24 * 60 * 60_000;
/** About 200 bytes each. Older ones are read from the database. */
const cachedMax = 10_000;

export type Bookmarks = ReturnType<typeof createBookmarks>;

/**
 * Remembers where pages of a list ended when they were served. A page's cursor is only the id of its last row, and that
 * row may have moved when the next page is requested. Bookmarks are in memory at once, and are saved to the database in
 * batches a little later, for other processes and for after a restart.
 */
export function createBookmarks(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  /** How long a bookmark may stay unsaved. Should be short if another process may serve the next page. */
  saveAfterMs: number;
}) {
  const { db, clock, logger } = options;
  const cached = new Map<string, number>();
  let unsaved = new Map<string, rows.Bookmark>();
  let saving: Promise<void> | undefined;
  const closing = new AbortController();

  function record(list: string, { id, position }: rows.Position): void {
    const key = keyOf(list, id);
    cached.delete(key);
    cached.set(key, position);
    if (cached.size > cachedMax) cached.delete(cached.keys().next().value!);
    unsaved.set(key, { list, id, position, served_at: clock.now() });
    saving ??= saveSoon().finally(() => (saving = undefined));
  }

  async function saveSoon(): Promise<void> {
    while (unsaved.size > 0) {
      await clock.sleep(options.saveAfterMs, closing.signal).catch(() => {});
      const batch = [...unsaved.values()];
      unsaved = new Map();
      // If bookmarks are lost, a client may see some rows twice.
      await db
        .write(async (tx) => await rows.saveBookmarks(tx, batch))
        .catch((error: unknown) => logger.warn({ err: error }, "bookmarks were not saved"));
    }
  }

  return {
    /** Records the position of a full page's last row, and of its other rows that have an earlier bookmark. */
    save(list: string, page: readonly rows.Position[]): void {
      const last = page.at(-1);
      for (const row of page) if (row === last || cached.has(keyOf(list, row.id))) record(list, row);
    },
    /** The last recorded position of this row. */
    async find(list: string, id: string): Promise<number | undefined> {
      return cached.get(keyOf(list, id)) ?? (await rows.findBookmark(db, list, id));
    },
    /** Deletes bookmarks that are older than a day. */
    async deleteOld(): Promise<void> {
      await db.write(async (tx) => await rows.pruneBookmarks(tx, clock.now() - keepMs));
    },
    /** Saves the remaining bookmarks. */
    async close(): Promise<void> {
      closing.abort(new Error("the server is shutting down"));
      await saving;
    },
  };
}

/** A list's name: a hash of its owner, reader and filters. */
export function listName(...parts: (string | boolean | undefined)[]): string {
  return createHash("sha256")
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest("base64url");
}

function keyOf(list: string, id: string): string {
  return `${list} ${id}`;
}
