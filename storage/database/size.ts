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

/** The version of the database engine, such as 3.51.0 or 18.1. */
export async function databaseVersion({ engine, read }: Database): Promise<string> {
  const query =
    engine === "postgres"
      ? sql<{ version: string }>`select current_setting('server_version') as version`
      : sql<{ version: string }>`select sqlite_version() as version`;
  const { rows } = await query.execute(read);
  return rows[0]!.version;
}
