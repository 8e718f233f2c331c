import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "#storage/database/open.ts";
import { engines, freshDatabaseUrl, type FreshDatabase } from "./postgres.ts";

/** Copying a migrated database takes a seventh of the time of migrating one on PostgreSQL, and half on SQLite. */
const sqliteVariable = "PARLANCE_TEST_SQLITE_TEMPLATE";
const postgresVariable = "PARLANCE_TEST_POSTGRES_TEMPLATE";

/** Before the run: migrates one database per engine, which the tests copy. */
export async function setup(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), "parlance-template-"));
  await migrate({ dataDir });
  process.env[sqliteVariable] = join(dataDir, "parlance.db");
  const postgres = engines.includes("postgres") ? await freshDatabaseUrl() : undefined;
  if (postgres) {
    await migrate({ dataDir, databaseUrl: postgres.url });
    process.env[postgresVariable] = postgres.name;
  }
  return async () => {
    await postgres?.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

async function migrate(place: { dataDir: string; databaseUrl?: string }): Promise<void> {
  const db = await openDatabase(place);
  await db.close();
}

/** A migrated database on the run's PostgreSQL. The caller drops it. */
export function migratedPostgres(): Promise<FreshDatabase> {
  return freshDatabaseUrl(process.env[postgresVariable]);
}

/** Puts a migrated SQLite database into this data folder. */
export async function addMigratedSqlite(dataDir: string): Promise<void> {
  const template = process.env[sqliteVariable];
  if (template) await copyFile(template, join(dataDir, "parlance.db"));
}
