import { StorageBusyError, StorageFullError } from "#storage/lib/errors.ts";

/** SQLSTATE classes and codes, from appendix A of PostgreSQL's manual. */
const diskFull = "53100";
const serializationFailure = "40001";
const deadlockDetected = "40P01";
const featureNotSupported = "0A000";
const duplicateStatement = "42P05";
const unknownStatement = "26000";
const unavailableClasses = [
  "08", // connection exceptions
  "53", // insufficient resources: too many connections, out of memory
  "57", // operator intervention: shutting down, starting up, cancelled by statement_timeout
];
const unavailableCodes = [
  "25006", // read-only transaction: this is a standby, or the disk guard of a hosted server
  "25P03", // idle_in_transaction_session_timeout
  "55P03", // lock_timeout
  serializationFailure,
  deadlockDetected,
];

const brokenSocketCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
]);

/** The client's messages for a connection that is lost or could not be made. These errors have no code. */
const brokenMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable|Cannot use a pool)/;

/** The storage error for an error of the client. Other errors are returned unchanged. */
export function translatePostgresError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === diskFull) return new StorageFullError("The disk of the database is full.", { cause: error });
  const unavailable =
    isOutdatedPlan(error) ||
    unavailableCodes.includes(code) ||
    (code.length === 5 && unavailableClasses.includes(code.slice(0, 2))) ||
    isBrokenConnection(error);
  return unavailable
    ? new StorageBusyError("The database is busy, restarting or unreachable.", { cause: error })
    : error;
}

/** Whether repeating the transaction may help: it conflicted with another one, or its connection was lost. */
export function isWorthRepeating(error: unknown): boolean {
  if (!(error instanceof StorageBusyError)) return false;
  const code = codeOf(error.cause);
  return (
    code === serializationFailure ||
    code === deadlockDetected ||
    code === "57P01" ||
    isOutdatedPlan(error.cause) ||
    isBrokenConnection(error.cause)
  );
}

/**
 * Whether a prepared statement cannot be used any more: it returns other columns than when it was prepared, because a server
 * of a newer version added some, or a pooler or an operator has removed it or has another of its name.
 */
export function isOutdatedPlan(error: unknown): boolean {
  const code = codeOf(error);
  if (code === duplicateStatement || code === unknownStatement) return true;
  return code === featureNotSupported && (error as { routine?: unknown }).routine === "RevalidateCachedQuery";
}

function isBrokenConnection(error: unknown): boolean {
  return (
    error instanceof Error && (brokenSocketCodes.has(codeOf(error)) || brokenMessages.test(error.message))
  );
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
