import { sql, type Kysely, type QueryExecutorProvider } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { SchemaVersionError } from "../lib/errors.ts";
import { lastDeleted, migrations } from "./list.ts";
import { programVersion } from "../lib/program-version.ts";
import { createSchema, hasTable } from "./schema.ts";

/**
 * Creates the tables of an empty database, or migrates those of an older version; all pending migrations run in one
 * transaction. When several processes call this at once, one migrates and the others wait for it. `before` is called in
 * that transaction, before the tables of an older version change. Throws `SchemaVersionError`.
 */
export async function migrate<DB>(
  db: Kysely<DB>,
  engine: Engine,
  before?: (q: QueryExecutorProvider) => Promise<void>,
): Promise<void> {
  if (await isMigrated(db)) return;
  await db.transaction().execute(async (q) => {
    if (engine === "postgres") await sql`select pg_advisory_xact_lock(hashtext('migrations'))`.execute(q);
    const stored = (await hasTable(q, engine, "migrations")) ? await storedMigrations(q) : [];
    const done = checkStored(stored);
    if (done.length === 0) return await createMigrated(q, engine);
    if (namesInOrder().every((name) => done.includes(name))) return;
    await before?.(q);
    await runPending(q, engine, done);
  });
}

/** Creates the tables of this version in an empty database. */
export async function createMigrated(db: QueryExecutorProvider, engine: Engine): Promise<void> {
  await createSchema(db, engine);
  await sql`
    create table migrations (name varchar(255) not null primary key, timestamp varchar(255) not null, version varchar(255))
  `.execute(db);
  await storeNames(db);
}

/** Runs the migrations that are not `done`. Their statements may be about rows of a backup, in tables of this version. */
export async function runPending(
  db: QueryExecutorProvider,
  engine: Engine,
  done: readonly string[],
): Promise<void> {
  for (const name of namesInOrder()) if (!done.includes(name)) await migrations[name]!(db, engine);
  await storeNames(db);
}

/** Stores which migrations the database has: all, and none of an earlier list. Each has the version that ran it. */
async function storeNames(db: QueryExecutorProvider): Promise<void> {
  const names = sql.join(namesInOrder());
  await sql`delete from migrations where name not in (${names})`.execute(db);
  for (const name of namesInOrder())
    await sql`
      insert into migrations (name, timestamp, version) values (${name}, ${new Date().toISOString()}, ${programVersion()})
      on conflict do nothing
    `.execute(db);
}

/** Whether the schema is exactly this version's. Throws `SchemaVersionError`. */
export async function isMigrated(db: QueryExecutorProvider): Promise<boolean> {
  return (await pendingMigrations(db)).names.length === 0;
}

/** The migrations that `migrate` will run, in order, and whether the database is still empty. Throws `SchemaVersionError`. */
export async function pendingMigrations(
  db: QueryExecutorProvider,
): Promise<{ names: string[]; isEmpty: boolean }> {
  // Empty if they cannot be read: then the first statement that creates a table says more.
  const done = checkStored(await storedMigrations(db).catch(() => []));
  return { names: namesInOrder().filter((name) => !done.includes(name)), isEmpty: done.length === 0 };
}

/**
 * Checks that this version can migrate a database or backup with these migrations. `origin` begins the error's message, for
 * example "This database was last used", and `version` is the one that ran the newest of them, if that is known. Throws
 * `SchemaVersionError`.
 */
export function checkMigrations(names: readonly string[], origin: string, version?: string): void {
  const unknown = names.filter((name) => !(name in migrations)).toSorted();
  const newest = unknown.at(-1);
  if (newest === undefined || (newest === lastDeleted.name && unknown.length === lastDeleted.count)) return;
  if (unknown.includes(developmentMigration))
    throw new SchemaVersionError(
      `${origin} by a development version from before the first release, and cannot be upgraded. ` +
        "Start with an empty database. With SQLite, set another DATA_DIR, or move parlance.db, and parlance.db-wal and " +
        "parlance.db-shm if they exist, out of it. With PostgreSQL, set DATABASE_URL to an empty database.",
    );
  if (newest <= lastDeleted.name)
    throw new SchemaVersionError(
      `${origin} by an older Parlance (its newest migration is "${newest}"), and this version cannot upgrade it at once. ` +
        `Start Parlance of the commit ${lastDeleted.commit} with this database once, or restore this backup with it. ` +
        "Then start this version.",
    );
  // A clone may be newer than another one of the same version.
  const isNamed = version !== undefined && version !== programVersion();
  throw new SchemaVersionError(
    `${origin} by a newer Parlance${isNamed ? `, ${version}` : ""} (it has the migration "${newest}", which this version, ` +
      `${programVersion()}, does not know). Start ${isNamed ? version : "that version"} or a newer one, or go back to ` +
      "the database as it was before the upgrade: with the command rollback, or with a backup.",
  );
}

/** The first migration of the development versions, whose migrations were replaced by one before the first release. */
const developmentMigration = "0001-start";

function namesInOrder(): string[] {
  return Object.keys(migrations).toSorted();
}

type StoredMigration = { name: string; version?: string | null };

async function storedMigrations(db: QueryExecutorProvider): Promise<StoredMigration[]> {
  // Databases of earlier versions have no column `version`.
  return (await sql<StoredMigration>`select * from migrations`.execute(db)).rows;
}

/** Their names. Throws `SchemaVersionError`. */
function checkStored(stored: readonly StoredMigration[]): string[] {
  const names = stored.map(({ name }) => name);
  const newest = stored
    .filter(({ name }) => !(name in migrations))
    .toSorted(byName)
    .at(-1);
  checkMigrations(names, "This database was last used", newest?.version ?? undefined);
  return names;
}

const byName = (a: StoredMigration, b: StoredMigration): number => (a.name < b.name ? -1 : 1);

/** Whether a database with these migrations is of this version, so that opening it migrates nothing. */
export function isOfThisVersion(names: readonly string[]): boolean {
  return Object.keys(migrations).every((name) => names.includes(name));
}
