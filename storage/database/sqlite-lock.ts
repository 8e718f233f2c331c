import { DatabaseSync } from "node:sqlite";
import { StorageBusyError } from "../errors.ts";
import { translateSqliteError } from "./sqlite-errors.ts";

/** Another server holds this SQLite database. */
export class DatabaseInUseError extends Error {
  override readonly name = "DatabaseInUseError";
}

/**
 * Makes this process the only server of the database at `path` until the answered function is called. What is held is
 * the operating system's lock on a second, empty database beside it: it goes with the process however that dies, and
 * no process number has to be trusted. Throws `DatabaseInUseError`, and `StorageFullError`
 * where there is no space even for that.
 */
export function holdDatabase(path: string): () => void {
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
