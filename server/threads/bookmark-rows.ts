import type { Database, Tx } from "#storage/database/database.ts";
import { jsonElements } from "#storage/database/portable-sql.ts";
import { sql } from "#storage/database/sql.ts";
import type { Row } from "#storage/database/tables.ts";

/** The SQL of bookmarks: a table that only this module writes. */

export type Bookmark = Row<"list_bookmarks">;

/** A row of a list, and its sort position. */
export type Position = { id: string; position: number };

export async function saveBookmarks(tx: Tx, bookmarks: Bookmark[]): Promise<void> {
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

export async function findBookmark(db: Database, list: string, id: string): Promise<number | undefined> {
  const row = await db.read
    .selectFrom("list_bookmarks")
    .select("position")
    .where("list", "=", list)
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.position;
}

export async function pruneBookmarks(tx: Tx, servedBefore: number): Promise<void> {
  await tx.q.deleteFrom("list_bookmarks").where("served_at", "<", servedBefore).execute();
}
