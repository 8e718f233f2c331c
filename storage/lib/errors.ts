import { describeProblem, type StorageProblem } from "./storage-path-check.ts";

/** The disk or the quota is full; nothing of the transaction or file was kept. */
export class StorageFullError extends Error {
  override readonly name = "StorageFullError";
}

/**
 * The database is locked, restarting or unreachable; nothing of the transaction was kept. One exception: if PostgreSQL
 * becomes unreachable during a commit and stays so, the whole transaction may have been committed.
 */
export class StorageBusyError extends Error {
  override readonly name: string = "StorageBusyError";
}

/** PostgreSQL cannot be reached when it is opened. The message names the address and the remedy. */
export class DatabaseUnreachableError extends StorageBusyError {
  override readonly name = "DatabaseUnreachableError";
}

/** The database cannot be opened until the operator corrects something. The message says what. */
export class DatabaseSetupError extends Error {
  override readonly name = "DatabaseSetupError";
}

/** The pooler in front of PostgreSQL does not support what the server needs. */
export class UnsupportedPoolerError extends Error {
  override readonly name = "UnsupportedPoolerError";
  readonly about: string;
  readonly remedy =
    "Set DATABASE_DIRECT_URL to the database's own address (docs/scaling-out.md, PgBouncer), or DATABASE_URL itself.";

  constructor(about: string, options?: ErrorOptions) {
    super("", options);
    this.about = about;
    this.message = `${about.slice(0, 1).toUpperCase()}${about.slice(1)}. ${this.remedy}`;
  }
}

/**
 * The database's file is missing, replaced or read-only; nothing of the transaction was kept. Writes succeed again when
 * the file that is open is back at its path.
 */
export class StorageUnavailableError extends StorageBusyError {
  override readonly name = "StorageUnavailableError";
  constructor(problem: StorageProblem) {
    super(describeProblem(problem));
  }
}

/** A database or backup comes from a version whose schema this version cannot use. The message names the remedy. */
export class SchemaVersionError extends Error {
  override readonly name = "SchemaVersionError";
}
