import { StorageBusyError, StorageFullError } from "../errors.ts";

/** SQLSTATE classes and codes, from appendix A of PostgreSQL's manual. */
const diskFull = "53100";
const serializationFailure = "40001";
const deadlockDetected = "40P01";
const awayClasses = [
  "08", // connection exceptions
  "53", // insufficient resources: too many connections, out of memory
  "57", // operator intervention: shutting down, starting up, cancelled by statement_timeout
];
const awayCodes = [
  "25006", // read-only transaction: this is a standby, or the disk guard of a hosted server
  "25P03", // idle_in_transaction_session_timeout
  "55P03", // lock_timeout
  serializationFailure,
  deadlockDetected,
];

const brokenSocket = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT", // a socket in the file system that is not there
]);

/** The client's own words for a connection that is lost or was not to be had; it gives them no code. */
const brokenWords =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable|Cannot use a pool)/;

/** What the layers above know of an error; other errors are answered as they are. */
export function translatePostgresError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === diskFull) return new StorageFullError("The disk of the database is full.", { cause: error });
  const away =
    awayCodes.includes(code) ||
    (code.length === 5 && awayClasses.includes(code.slice(0, 2))) ||
    isBrokenConnection(error);
  return away ? new StorageBusyError("The database is busy, restarting or away.", { cause: error }) : error;
}

/** Whether the same transaction may succeed at once: another stood in its way, or its connection was cut. */
export function isWorthRepeating(error: unknown): boolean {
  if (!(error instanceof StorageBusyError)) return false;
  const code = codeOf(error.cause);
  return (
    code === serializationFailure ||
    code === deadlockDetected ||
    code === "57P01" ||
    isBrokenConnection(error.cause)
  );
}

function isBrokenConnection(error: unknown): boolean {
  return error instanceof Error && (brokenSocket.has(codeOf(error)) || brokenWords.test(error.message));
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
