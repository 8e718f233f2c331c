import { join } from "node:path";
import { makeFolder } from "../lib/make-folder.ts";
import type { OnStorageChange } from "../lib/storage-path-check.ts";
import type { Database } from "./database.ts";
import { openSqlite, openSqliteAlongsideServer, type OnCopied } from "./sqlite/sqlite.ts";

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
  onCopied?: OnCopied;
};

/**
 * Opens and migrates the database: PostgreSQL if `databaseUrl` is given, else SQLite in `dataDir`, which is created if
 * it does not exist. Before it migrates an existing SQLite database, it copies it. Throws `DatabaseInUseError`,
 * `SchemaVersionError`, `UnsupportedPoolerError`, `DatabaseUnreachableError`, `DatabaseSetupError`, `StorageFullError`.
 */
export async function openDatabase({
  databaseUrl,
  directUrl,
  dataDir,
  alongsideServer = false,
  onStorageChange,
  onCopied,
}: Options): Promise<Database> {
  if (databaseUrl !== undefined) {
    // Imported here, so that a server on SQLite does not load the PostgreSQL client.
    const { openPostgres } = await import("./postgres/postgres.ts");
    return openPostgres({ url: databaseUrl, directUrl });
  }
  await makeFolder(dataDir);
  const path = join(dataDir, "parlance.db");
  return alongsideServer
    ? openSqliteAlongsideServer({ path, onCopied })
    : openSqlite({ path, onStorageChange, onCopied });
}
