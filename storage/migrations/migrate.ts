import { sql, type Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import type { Engine } from "../lib/engine.ts";
import { migrations } from "./list.ts";

/** A database or backup comes from a version whose schema this version cannot use. The message names the remedy. */
export class SchemaVersionError extends Error {
  override readonly name = "SchemaVersionError";
}

const migrationTable = "migrations";

/**
 * Migrates the schema to this version; all pending migrations run in one transaction. When several processes call this
 * at once, one migrates and the others wait for it. Throws `SchemaVersionError`.
 */
export async function migrate<DB>(db: Kysely<DB>, engine: Engine): Promise<void> {
  await migrateTo(db, engine, undefined);
}

/**
 * Migrates the schema up to the migration named `lastName`, or to the newest when it is undefined. `db` may be a
 * transaction. Throws `SchemaVersionError`.
 */
export async function migrateTo<DB>(
  db: Kysely<DB>,
  engine: Engine,
  lastName: string | undefined,
): Promise<void> {
  const known = Object.fromEntries(
    Object.entries(migrations).map(([name, up]) => [name, { up: (q: Kysely<unknown>) => up(q, engine) }]),
  );
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => known },
    migrationTableName: migrationTable,
    migrationLockTableName: "migrations_lock",
    // Branches add migrations in parallel, so a database may already have one with a higher number.
    allowUnorderedMigrations: true,
  });
  const { error } = await (lastName === undefined
    ? migrator.migrateToLatest()
    : migrator.migrateTo(lastName));
  if (error === undefined) return;
  checkMigrations(await migratedNames(db), "This database was last used", error);
  throw error as Error;
}

/** Whether the schema is exactly this version's. Throws `SchemaVersionError`. */
export async function isMigrated<DB>(db: Kysely<DB>): Promise<boolean> {
  return (await pendingMigrations(db)).names.length === 0;
}

/** The migrations that `migrate` will run, in order, and whether the database is still empty. Throws `SchemaVersionError`. */
export async function pendingMigrations<DB>(db: Kysely<DB>): Promise<{ names: string[]; isEmpty: boolean }> {
  const done = await migratedNames(db);
  checkMigrations(done, "This database was last used");
  const names = Object.keys(migrations).filter((name) => !done.includes(name));
  return { names: names.toSorted(), isEmpty: done.length === 0 };
}

/**
 * Checks that this version knows the migrations of a database or backup. `origin` begins the error's message, for
 * example "This database was last used". Throws `SchemaVersionError`.
 */
export function checkMigrations(names: string[], origin: string, cause?: unknown): void {
  const unknown = names.find((name) => !(name in migrations));
  if (unknown === undefined) return;
  if (names.includes(developmentMigration))
    throw new SchemaVersionError(
      `${origin} by a development version from before the first release, and cannot be upgraded. ` +
        "Start with an empty database. With SQLite, set another DATA_DIR, or move parlance.db, and parlance.db-wal and " +
        "parlance.db-shm if they exist, out of it. With PostgreSQL, set DATABASE_URL to an empty database.",
      { cause },
    );
  throw new SchemaVersionError(
    `${origin} by a newer Parlance (it has the migration "${unknown}", which this version does not know). ` +
      "Start that version or a newer one, or restore a backup made before the upgrade.",
    { cause },
  );
}

/** The first migration of the development versions, whose migrations were replaced by one before the first release. */
const developmentMigration = "0001-start";

/** Empty if the names cannot be read: then the migration's own error says more. */
async function migratedNames<DB>(db: Kysely<DB>): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from ${sql.table(migrationTable)}`.execute(db);
    return rows.map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Whether a database with these migrations is of this version, so that opening it migrates nothing. */
export function isOfThisVersion(names: readonly string[]): boolean {
  return Object.keys(migrations).every((name) => names.includes(name));
}
