import { createHash } from "node:crypto";
import type { Database, Tx } from "#storage/database/database.ts";
import { jsonElements } from "#storage/database/portable-sql.ts";
import { sql } from "#storage/database/sql.ts";
import type { Row } from "#storage/database/tables.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";

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
  let unsaved = new Map<string, Bookmark>();
  let saving: Promise<void> | undefined;
  const closing = new AbortController();

  function record(list: string, { id, position }: Position): void {
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
        .write(async (tx) => await saveBookmarks(tx, batch))
        .catch((error: unknown) => logger.warn({ err: error }, "bookmarks were not saved"));
    }
  }

  return {
    /** Records the position of a full page's last row, and of its other rows that have an earlier bookmark. */
    save(list: string, page: readonly Position[]): void {
      const last = page.at(-1);
      for (const row of page) if (row === last || cached.has(keyOf(list, row.id))) record(list, row);
    },
    /** The last recorded position of this row. */
    async find(list: string, id: string): Promise<number | undefined> {
      return cached.get(keyOf(list, id)) ?? (await findBookmark(db, list, id));
    },
    /** Deletes bookmarks that are older than a day. */
    async deleteOld(): Promise<void> {
      await db.write(async (tx) => await pruneBookmarks(tx, clock.now() - keepMs));
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

/** The SQL of bookmarks: a table that only this module writes. */

type Bookmark = Row<"list_bookmarks">;

/** A row of a list, and its sort position. */
type Position = { id: string; position: number };

async function saveBookmarks(tx: Tx, bookmarks: Bookmark[]): Promise<void> {
  // Sorted, so that two processes that save the same rows lock them in the same order.
  const sorted = bookmarks
    .toSorted((a, b) => (a.list + a.id < b.list + b.id ? -1 : 1))
    .map((row) => [row.list, row.id, row.position, row.served_at]);
  // Without `where true`, SQLite parses `on conflict` as a join condition.
  await sql`
    insert into list_bookmarks (list, id, position, served_at)
    select value->>0, value->>1, cast(value->>2 as bigint), cast(value->>3 as bigint) from ${jsonElements(tx, sorted)} where true
    on conflict (list, id) do update set position = excluded.position, served_at = excluded.served_at
  `.execute(tx.q);
}

async function findBookmark(db: Database, list: string, id: string): Promise<number | undefined> {
  const row = await db.read
    .selectFrom("list_bookmarks")
    .select("position")
    .where("list", "=", list)
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.position;
}

async function pruneBookmarks(tx: Tx, servedBefore: number): Promise<void> {
  await tx.q.deleteFrom("list_bookmarks").where("served_at", "<", servedBefore).execute();
}
