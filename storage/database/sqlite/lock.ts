import { DatabaseSync } from "node:sqlite";
import { StorageBusyError } from "#storage/lib/errors.ts";
import { translateSqliteError } from "./errors.ts";

/** Another server uses this SQLite database. */
export class DatabaseInUseError extends Error {
  override readonly name = "DatabaseInUseError";
}

/**
 * Makes this process the only server of the database at `path` until the returned function is called. It holds an
 * operating system lock on a second, empty database beside it. The lock ends with the process, however that dies, so no
 * stale process id has to be recognized. Throws `DatabaseInUseError`, and `StorageFullError` if there is no space for
 * the empty database.
 */
export function lockDatabase(path: string): () => void {
  const lockPath = `${path}.lock`;
  const lock = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    lock.exec("begin exclusive");
  } catch (error) {
    lock.close();
    const translated = translateSqliteError(error, lockPath);
    if (!(translated instanceof StorageBusyError)) throw translated;
    throw new DatabaseInUseError(
      `Another Parlance is using ${path}. Stop it first, give this one another DATA_DIR, ` +
        "or set DATABASE_URL to a PostgreSQL database, which many servers may share.",
      { cause: error },
    );
  }
  return () => lock.close();
}
