import { describeProblem, type StorageProblem } from "./storage-path-check.ts";

/** The disk or the quota is full; nothing of the transaction or file was kept. */
export class StorageFullError extends Error {
  override readonly name = "StorageFullError";
}

/**
 * The database is locked, restarting or unreachable; nothing of the transaction was kept. One exception: if PostgreSQL
 * went away during a commit and stayed away too long to be asked, it may have kept the whole transaction.
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
