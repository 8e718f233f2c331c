import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import type { Engine } from "./database.ts";
import { migrations } from "./migrations/list.ts";
import type { Tables } from "./tables.ts";

/** The database was made by a newer version than this one. */
export class DatabaseTooNewError extends Error {
  override readonly name = "DatabaseTooNewError";
}

const migrationTable = "migrations";

/**
 * Brings the schema up to this version; all that is pending is one transaction. Several processes may do so at once:
 * one migrates and the others wait for it. Throws `DatabaseTooNewError`.
 */
export async function migrate(db: Kysely<Tables>, engine: Engine): Promise<void> {
  await migrateTo(db, engine, undefined);
}

/**
 * The same as far as the migration of this name, or as far as there are any. `db` may be a transaction. Throws
 * `DatabaseTooNewError`.
 */
export async function migrateTo(
  db: Kysely<Tables>,
  engine: Engine,
  lastName: string | undefined,
): Promise<void> {
  const ours = Object.fromEntries(
    Object.entries(migrations).map(([name, up]) => [name, { up: (q: Kysely<unknown>) => up(q, engine) }]),
  );
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ours },
    migrationTableName: migrationTable,
    migrationLockTableName: "migrations_lock",
    // They are written side by side: one may come to a database that has a later one already.
    allowUnorderedMigrations: true,
  });
  const { error } = await (lastName === undefined
    ? migrator.migrateToLatest()
    : migrator.migrateTo(lastName));
  if (error === undefined) return;
  refuseNewer(await migratedNames(db), error);
  throw error as Error;
}

/** Whether the schema is exactly this version's. Throws `DatabaseTooNewError`. */
export async function isMigrated(db: Kysely<Tables>): Promise<boolean> {
  const names = await migratedNames(db);
  refuseNewer(names);
  return Object.keys(migrations).every((name) => names.includes(name));
}

function refuseNewer(names: string[], cause?: unknown): void {
  const stranger = names.find((name) => !(name in migrations));
  if (stranger === undefined) return;
  throw new DatabaseTooNewError(
    `This database was last used by a newer Parlance (it has "${stranger}", which is unknown here). ` +
      "Start that version or a newer one, or restore a backup made before the upgrade.",
    { cause },
  );
}

/** Empty where even the names cannot be read: then the first error says more. */
async function migratedNames(db: Kysely<Tables>): Promise<string[]> {
  try {
    const names = db
      .withTables<{ [migrationTable]: { name: string } }>()
      .selectFrom(migrationTable)
      .select("name");
    return (await names.execute()).map(({ name }) => name);
  } catch {
    return [];
  }
}
