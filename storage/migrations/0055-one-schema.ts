import { sql, type QueryExecutorProvider } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { replaceTriggers } from "./schema.ts";

/**
 * Takes the last schema that was made by migrations alone to the one of `storage/tables/`. The triggers that add up what was
 * used are fewer. On PostgreSQL, constraints get the names that PostgreSQL chooses, and one column its collation.
 */
export async function oneSchema(db: QueryExecutorProvider, engine: Engine): Promise<void> {
  await sql`drop table if exists migrations_lock`.execute(db);
  if (engine === "postgres") {
    await sql`alter table users alter column deletion_by type text collate "C"`.execute(db);
    await renameConstraints(db);
  }
  await replaceTriggers(db, engine);
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
