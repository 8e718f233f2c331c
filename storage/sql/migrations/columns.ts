import {
  sql,
  type ColumnDefinitionBuilder,
  type CreateTableBuilder,
  type Kysely,
  type RawBuilder,
} from "kysely";
import type { Engine } from "../database.ts";

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

export const required: Column = (column) => column.notNull();
export const key: Column = (column) => column.notNull().primaryKey();

/** The types of columns as each engine calls them. */
export type ColumnTypes = Record<"text" | "bigint" | "int" | "real", RawBuilder<unknown>>;

export function columnTypes(engine: Engine): ColumnTypes {
  const onPostgres = engine === "postgres";
  return {
    // Ids and cursors compare bytewise on both engines, whatever language the server's operator speaks.
    text: onPostgres ? sql`text collate "C"` : sql`text`,
    bigint: onPostgres ? sql`bigint` : sql`integer`,
    int: sql`integer`,
    real: onPostgres ? sql`double precision` : sql`real`,
  };
}

/** Begins a table; `createTable` ends it. */
export function newTable(db: Kysely<unknown>, name: string): CreateTableBuilder<string, string> {
  return db.schema.createTable(name);
}

/**
 * Creates a table. On SQLite a column holds what it says; `keyed`: its rows are kept in the order of their key and
 * nowhere else.
 */
export async function createTable(
  engine: Engine,
  table: CreateTableBuilder<string, string>,
  keyed?: "keyed",
): Promise<void> {
  if (engine === "postgres") return await table.execute();
  await table.modifyEnd(keyed === undefined ? sql`strict` : sql`strict, without rowid`).execute();
}
