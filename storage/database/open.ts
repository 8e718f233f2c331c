import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { OnStorageChange } from "../in-place.ts";
import type { Database } from "./database.ts";
import { openSqlite, openSqliteBeside } from "./sqlite.ts";

type Options = {
  databaseUrl?: string | undefined;
  /** The same PostgreSQL without a pooler between; `openPostgres` says what for. */
  directUrl?: string | undefined;
  dataDir: string;
  /**
   * For an operator's command: the server may be running, and nothing is appended to a log (`openSqliteBeside` says
   * why this is safe). PostgreSQL needs no such care, for there every process hears of what another appends.
   */
  beside?: boolean;
  onStorageChange?: OnStorageChange;
};

/**
 * Opens the database of this server, migrated: PostgreSQL where `databaseUrl` is given, else SQLite in `dataDir`, which
 * is made when it is not there. Throws `DatabaseInUseError`, `SchemaVersionError`, `PoolerInTheWayError`, `StorageBusyError`.
 */
export async function openDatabase({
  databaseUrl,
  directUrl,
  dataDir,
  beside = false,
  onStorageChange,
}: Options): Promise<Database> {
  if (databaseUrl !== undefined) {
    // Loaded here, so that a server without PostgreSQL does not carry its client.
    const { openPostgres } = await import("./postgres.ts");
    return openPostgres({ url: databaseUrl, directUrl });
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "parlance.db");
  return beside ? openSqliteBeside({ path }) : openSqlite({ path, onStorageChange });
}
