import { sql, type RawBuilder } from "kysely";
import type { Engine } from "../lib/engine.ts";

type SqlTypes = Record<
  "text" | "bigint" | "int" | "real" | "bytes" | "strict" | "clustered",
  RawBuilder<unknown>
>;

/** The parts of `create table` that differ between the engines. */
export function sqlTypes(engine: Engine): SqlTypes {
  const onPostgres = engine === "postgres";
  return {
    // Bytewise comparison on both engines, whatever the locale of the PostgreSQL server is.
    text: onPostgres ? sql`text collate "C"` : sql`text`,
    bigint: onPostgres ? sql`bigint` : sql`integer`,
    int: sql`integer`,
    bytes: onPostgres ? sql`bytea` : sql`blob`,
    real: onPostgres ? sql`double precision` : sql`real`,
    // These two end the statement. Without `strict`, SQLite stores values of any type in any column.
    strict: onPostgres ? sql`` : sql`strict`,
    // For small rows that are read by their primary key: SQLite stores them in its index.
    clustered: onPostgres ? sql`` : sql`strict, without rowid`,
  };
}
