import { sql } from "kysely";
import type { Database } from "./database.ts";

/** The size of the database in bytes. On SQLite without its write-ahead log. */
export async function databaseBytes({ engine, read }: Database): Promise<number> {
  const query =
    engine === "postgres"
      ? sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`
      : sql<{ bytes: number }>`
          select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;
  const { rows } = await query.execute(read);
  return rows[0]!.bytes;
}
