import { sql, type QueryExecutorProvider } from "kysely";
import type { Engine } from "../lib/engine.ts";
import type { Table } from "../schema/table.ts";
import { indexSql, tableSql } from "../schema/table-sql.ts";
import { tables } from "../tables/tables.ts";

/** Creates every table, index and trigger of this version, on an empty database. */
export async function createSchema(db: QueryExecutorProvider, engine: Engine): Promise<void> {
  for (const table of tables) await runAll(db, tableSql(table, engine));
  await createTriggers(db, engine);
}

type NamedTable = Table & { name: string };

// Migrations use these. They use the newest definition: then a later migration finds what it adds, and does nothing. So do
// all of them on a new database into which a backup of an older version was restored.

/** Creates a table without its triggers, if there is none. An older migration may have created those already. */
export async function createTable(
  db: QueryExecutorProvider,
  engine: Engine,
  table: NamedTable,
): Promise<void> {
  if (await hasTable(db, engine, table.name)) return;
  await runAll(db, tableSql(table, engine));
}

/** Adds a column, if there is none. It has a default or can be null. */
export async function addColumn<C extends NamedTable>(
  db: QueryExecutorProvider,
  engine: Engine,
  table: C,
  column: keyof C["columns"] & string,
): Promise<void> {
  if (await hasColumn(db, engine, table.name, column)) return;
  const added = `${column} ${table.columns[column]!.sql(engine)}`;
  await runAll(db, [`alter table ${table.name} add column ${added}`]);
}

/** Adds an index, if there is none with its name. */
export async function addIndex(
  db: QueryExecutorProvider,
  engine: Engine,
  table: NamedTable,
  index: string,
): Promise<void> {
  await runAll(db, [indexSql(table, index, engine)]);
}

/** Drops all triggers, before `createTriggers`. */
export async function dropTriggers(db: QueryExecutorProvider, engine: Engine): Promise<void> {
  const { rows } = await (
    engine === "sqlite"
      ? sql<{ name: string }>`select name from sqlite_schema where type = 'trigger'`
      : sql<{ name: string }>`
        select distinct tgfoid::regprocedure::text as name from pg_trigger join pg_class on pg_class.oid = tgrelid
        where not tgisinternal and relnamespace = current_schema()::regnamespace
        and relname in (${sql.join(tables.map(({ name }) => name))})`
  ).execute(db);
  await runAll(
    db,
    rows.map(({ name }) => (engine === "sqlite" ? `drop trigger ${name}` : `drop function ${name} cascade`)),
  );
}

export async function createTriggers(db: QueryExecutorProvider, engine: Engine): Promise<void> {
  for (const { triggers } of tables as readonly NamedTable[]) await runAll(db, triggers?.[engine] ?? []);
}

export async function hasTable(db: QueryExecutorProvider, engine: Engine, table: string): Promise<boolean> {
  const { rows } = await (
    engine === "sqlite"
      ? sql`select 1 from sqlite_schema where type = 'table' and name = ${table}`
      : sql`select 1 from information_schema.tables where table_schema = current_schema() and table_name = ${table}`
  ).execute(db);
  return rows.length > 0;
}

export async function hasColumn(
  db: QueryExecutorProvider,
  engine: Engine,
  table: string,
  column: string,
): Promise<boolean> {
  const { rows } = await (
    engine === "sqlite"
      ? sql`select 1 from pragma_table_info(${table}) where name = ${column}`
      : sql`select 1 from information_schema.columns
        where table_schema = current_schema() and table_name = ${table} and column_name = ${column}`
  ).execute(db);
  return rows.length > 0;
}

async function runAll(db: QueryExecutorProvider, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
