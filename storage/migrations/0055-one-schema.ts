import { sql, type QueryExecutorProvider } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { SchemaVersionError } from "../lib/errors.ts";
import { modelRequests } from "../tables/runs/model-requests.ts";
import { runs } from "../tables/runs/runs.ts";
import { scores } from "../tables/runs/scores.ts";
import { threads } from "../tables/threads/threads.ts";
import { renamedColumns, renamedTables } from "./renamed.ts";
import { addIndex, createTriggers, dropTriggers, hasTable } from "./schema.ts";

/**
 * Takes the last schema that was made by migrations alone to the one of `storage/tables/`: projects are called apps there,
 * and fewer triggers add up what was used. On PostgreSQL, constraints get the names that PostgreSQL chooses, and one column
 * its collation.
 */
export async function oneSchema(db: QueryExecutorProvider, engine: Engine): Promise<void> {
  // A backup is restored into tables of this version.
  const isRestored = !(await hasTable(db, engine, "projects"));
  if (engine === "postgres" && !isRestored) await assertNoServer(db);
  await dropTriggers(db, engine);
  await sql`update audit_entries set action = replace(action, 'project-', 'app-')
    where action like 'project-%'`.execute(db);
  if (!isRestored) await renameProjects(db, engine);
  await createTriggers(db, engine);
}

async function renameProjects(db: QueryExecutorProvider, engine: Engine): Promise<void> {
  await sql`drop table migrations_lock`.execute(db);
  for (const [former, name] of Object.entries(renamedTables))
    await sql`alter table ${sql.table(former)} rename to ${sql.table(name)}`.execute(db);
  for (const [former, name] of Object.entries(renamedColumns))
    for (const table of await tablesWith(db, engine, former))
      await sql`alter table ${sql.table(table)} rename column ${sql.ref(former)} to ${sql.ref(name)}`.execute(
        db,
      );
  for (const table of [threads, runs, modelRequests, scores]) {
    await sql`drop index ${sql.ref(`${table.name}_of_project`)}`.execute(db);
    await addIndex(db, engine, table, `${table.name}_of_app`);
  }
  if (engine === "postgres") {
    await sql`alter table users alter column deletion_by type text collate "C"`.execute(db);
    await renameConstraints(db);
  }
}

/** A server of the version before would fail to store the answers that it is writing. */
async function assertNoServer(db: QueryExecutorProvider): Promise<void> {
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and application_name in ('parlance', 'parlance notifications')
  `.execute(db);
  if (rows.length > 0)
    throw new SchemaVersionError(
      "Servers of the version before are using the database, and cannot use it after this upgrade. " +
        "Nothing was changed. Stop them, then start this version.",
    );
}

async function tablesWith(db: QueryExecutorProvider, engine: Engine, column: string): Promise<string[]> {
  const { rows } = await (
    engine === "sqlite"
      ? sql<{ name: string }>`select t.name from sqlite_schema as t, pragma_table_info(t.name) as c
        where t.type = 'table' and c.name = ${column}`
      : sql<{ name: string }>`select table_name as name from information_schema.columns
        where table_schema = current_schema() and column_name = ${column}`
  ).execute(db);
  return rows.map(({ name }) => name);
}

async function renameConstraints(db: QueryExecutorProvider): Promise<void> {
  const { rows } = await sql<{ table: string; name: string; right: string }>`
    select relname as "table", conname as name, concat_ws('_', relname,
      case when contype <> 'p' then (
        select string_agg(attname, '_' order by place) from unnest(conkey) with ordinality as key (number, place)
        join pg_attribute on attrelid = conrelid and attnum = number
      ) end,
      case contype when 'p' then 'pkey' when 'u' then 'key' else 'fkey' end) as right
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where connamespace = current_schema()::regnamespace and contype in ('p', 'u', 'f')
  `.execute(db);
  for (const { table, name, right } of rows)
    if (name !== right)
      await sql`alter table ${sql.table(table)} rename constraint ${sql.ref(name)} to ${sql.ref(right)}`.execute(
        db,
      );
}
