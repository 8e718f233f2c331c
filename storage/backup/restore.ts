import { checkMigrations } from "../migrations/migrate.ts";
import { namesBefore } from "../migrations/renamed.ts";
import { ArchiveError, verifyArchive, type Contents } from "./archive.ts";
import type { RestoreOptions } from "./insert-backup.ts";
import { tablesWithSecrets } from "./backup-tables.ts";

/**
 * Restores an archive into a database of either engine, completely or not at all. It first reads and checks the whole
 * archive. Throws `ArchiveError`, `NotEmptyError`, `SchemaVersionError`, `DatabaseInUseError`, `StorageFullError`,
 * `StorageBusyError`.
 */
export async function restore(options: RestoreOptions): Promise<Contents> {
  const { source } = options;
  const contents = await verifyArchive(source, options.onCheckedLine);
  checkMigrations(contents.head.migrations, `${source.name} was written`);
  const { presentTable } = namesBefore(contents.head.migrations);
  const unknown = Object.keys(contents.rows).find((name) => !tablesWithSecrets.includes(presentTable(name)));
  if (unknown !== undefined) throw new ArchiveError(`${source.name} has an unknown table: ${unknown}.`);
  if (options.place.databaseUrl === undefined) {
    const { restoreSqlite } = await import("./restore-sqlite.ts");
    await restoreSqlite(options, contents);
  } else {
    const { restorePostgres } = await import("./restore-postgres.ts");
    await restorePostgres(options, options.place.databaseUrl, contents);
  }
  return contents;
}
