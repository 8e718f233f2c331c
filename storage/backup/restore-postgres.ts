import { Kysely, sql } from "kysely";
import pg from "pg";
import { StorageBusyError } from "../lib/errors.ts";
import { TranslatingPostgresDialect } from "../database/postgres/dialect.ts";
import { postgresTypes } from "../database/postgres/types.ts";
import { namesBefore } from "../migrations/renamed.ts";
import type { Tables } from "../database/tables.ts";
import type { Contents } from "./archive.ts";
import { backupTables, rebuiltTables, secretTables } from "./backup-tables.ts";
import { insertBackup, hasData, refuseNotEmpty, type RestoreOptions } from "./insert-backup.ts";

const where = "The database of DATABASE_URL";

/** Restores everything in one transaction. No server may be running. */
export async function restorePostgres(
  options: RestoreOptions,
  url: string,
  contents: Contents,
): Promise<void> {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "parlance restore",
    max: 1,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    types: postgresTypes,
  });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const db = new Kysely<Tables>({
    dialect: new TranslatingPostgresDialect({ pool }, { transactions: true }),
  });
  try {
    await db.transaction().execute(async (q) => {
      await sql`set local statement_timeout = 0`.execute(q);
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(q);
      await assertNoServer(q);
      const { rows } = await sql<{ name: string }>`
        select table_name as name from information_schema.tables where table_schema = current_schema()
      `.execute(q);
      const existing = rows.map(({ name }) => name);
      if (!options.replace && (await hasData(q, existing))) refuseNotEmpty(where);
      // Only Parlance's tables: other programs may use the same database.
      const migrated = existing.includes("migrations")
        ? (await sql<{ name: string }>`select name from migrations`.execute(q)).rows.map(({ name }) => name)
        : [];
      const ownTables = [...rebuiltTables, ...secretTables, ...backupTables, "migrations", "migrations_lock"];
      await dropAll(
        q,
        ownTables.map(namesBefore(migrated).formerTable).filter((name) => existing.includes(name)),
      );
      const files = await insertBackup(q, "postgres", options, contents);
      await options.beforeCommit(files);
    });
  } finally {
    await db.destroy();
  }
}

async function dropAll(q: Kysely<Tables>, tables: string[]): Promise<void> {
  if (tables.length === 0) return;
  const { rows } = await sql<{ name: string }>`
    select distinct tgfoid::regprocedure::text as name from pg_trigger
    join pg_class on pg_class.oid = tgrelid
    where not tgisinternal and relnamespace = current_schema()::regnamespace and relname in (${sql.join(tables)})
  `.execute(q);
  await sql`drop table ${sql.join(tables.map((name) => sql.table(name)))} cascade`.execute(q);
  for (const { name } of rows) await sql`drop function ${sql.raw(name)}`.execute(q);
}

async function assertNoServer(q: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name in ('parlance', 'parlance notifications')
  `.execute(q);
  if (Number(rows[0]?.count) > 0)
    throw new StorageBusyError(`${where} is in use by a server. Stop every server on it first.`);
}
