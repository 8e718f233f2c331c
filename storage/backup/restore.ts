import { checkMigrations } from "../migrations/migrate.ts";
import { ArchiveError, verifyArchive, type Contents } from "./archive.ts";
import type { RestoreOptions } from "./fill.ts";
import { keptTables } from "./kept-tables.ts";

/**
 * Puts an archive into a database of either engine, all of it or nothing. The archive is read to its end before
 * anything is touched; the schema is made as it was when the archive was written, filled, and brought up to this
 * version. Throws `ArchiveError`, `NotEmptyError`, `SchemaVersionError`, `DatabaseInUseError`, `StorageFullError`,
 * `StorageBusyError`.
 */
export async function restore(options: RestoreOptions): Promise<Contents> {
  const contents = await verifyArchive(options.path);
  checkMigrations(contents.head.migrations, `${options.path} was written`);
  const strange = Object.keys(contents.rows).find((name) => !keptTables.includes(name));
  if (strange !== undefined)
    throw new ArchiveError(`${options.path} has a table that is unknown here: ${strange}.`);
  if (options.place.databaseUrl === undefined) {
    const { restoreSqlite } = await import("./restore-sqlite.ts");
    await restoreSqlite(options, contents);
  } else {
    const { restorePostgres } = await import("./restore-postgres.ts");
    await restorePostgres(options, options.place.databaseUrl, contents);
  }
  return contents;
}
