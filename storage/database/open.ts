import { join } from "node:path";
import { makeFolder } from "../lib/make-folder.ts";
import type { OnStorageChange } from "../lib/storage-path-check.ts";
import type { Database } from "./database.ts";
import { openSqlite, openSqliteAlongsideServer } from "./sqlite/sqlite.ts";
import { sqliteName, type UpgradeCopies } from "./upgrade-copies.ts";

type Options = {
  databaseUrl?: string | undefined;
  /** The same PostgreSQL database without a pooler in between; see `openPostgres`. */
  directUrl?: string | undefined;
  dataDir: string;
  /**
   * For an operator's command that may run while the server runs and appends to no log; see `openSqliteAlongsideServer`.
   * It changes nothing on PostgreSQL, where all processes are notified of what one appends.
   */
  alongsideServer?: boolean;
  onStorageChange?: OnStorageChange;
  /** What happens before an existing database is migrated. By default it is copied into `dataDir`. */
  copies?: UpgradeCopies;
};

/**
 * Opens and migrates the database: PostgreSQL if `databaseUrl` is given, else SQLite in `dataDir`, which is created if
 * it does not exist. Before it migrates an existing database, it copies it. Throws `DatabaseInUseError`,
 * `SchemaVersionError`, `UnsupportedPoolerError`, `DatabaseUnreachableError`, `DatabaseSetupError`, `StorageFullError`.
 */
export async function openDatabase({
  databaseUrl,
  directUrl,
  dataDir,
  alongsideServer = false,
  onStorageChange,
  copies = {},
}: Options): Promise<Database> {
  if (databaseUrl !== undefined) {
    // Imported here, so that a server on SQLite does not load the PostgreSQL client.
    const [{ openPostgres }, { dumpBeforeMigration }] = await Promise.all([
      import("./postgres/postgres.ts"),
      import("./postgres/dump-before-migration.ts"),
    ]);
    const place = { url: directUrl ?? databaseUrl, dataDir };
    return await openPostgres({
      url: databaseUrl,
      directUrl,
      beforeMigrating: async (q) => await dumpBeforeMigration(q, place, copies),
    });
  }
  await makeFolder(dataDir);
  const path = join(dataDir, sqliteName);
  return alongsideServer
    ? openSqliteAlongsideServer({ path, copies })
    : openSqlite({ path, onStorageChange, copies });
}

/** The warning for operators if a database is upgraded without a copy. `why` is a sentence. */
export const noCopy = (why: string): string =>
  `The database is upgraded without a copy. ${why} ` +
  "To have a copy of a PostgreSQL database, install its client programs (pg_dump, psql) of the server's version or a newer one, " +
  "or make one yourself before you start a new version. With COPY_BEFORE_UPGRADE=required, nothing is upgraded without one.";
