import { pino, type DestinationStream, type Logger as PinoLogger, type LoggerOptions } from "pino";
import { BlobsUnavailableError } from "#storage/blobs/blobs.ts";
import { StorageUnavailableError } from "#storage/lib/errors.ts";
import { createBoundedOutput, drained } from "./bounded-output.ts";

export type Logger = Pick<PinoLogger, "debug" | "info" | "warn" | "error" | "child">;

export const logLevels = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

/** 1 MiB: thousands of lines for a reader that is slow for a moment. */
const bufferBytes = 1024 * 1024;

/** A line about lines that were dropped, in the form of the others. */
function describeDrops(dropped: number): string {
  const time = new Date().toISOString();
  const level = pino.levels.values.warn;
  return `${JSON.stringify({ level, time, dropped, msg: "log lines were dropped: their reader was too slow" })}\n`;
}

/** Waits until the log is written, for at most half a second. Call it before the process exits. */
export async function flushLog(): Promise<void> {
  await drained(process.stderr, 500);
}

/**
 * Logs JSON lines, by default to standard error: standard output is for people. Never log secrets. Those in URLs are
 * removed from every line, because errors of libraries and providers contain the URLs of files.
 * A client that reads nothing does not block the server (`createBoundedOutput`).
 *
 * Storage that refuses writes is logged once, when it begins (`server/lib/storage-state.ts`). The requests and retries
 * that fail because of it are logged at level `debug`.
 */
export function createLogger(
  level: LogLevel,
  destination: DestinationStream = createBoundedOutput(process.stderr, {
    maxBytes: bufferBytes,
    describeDrops,
  }),
): Logger {
  const hooks: LoggerOptions["hooks"] = {
    logMethod(args, method, number) {
      const isDebug = number > pino.levels.values.debug! && isRefusedWrite(args[0]);
      (isDebug ? this.debug : method).apply(this, args);
    },
    streamWrite: withoutUrlSecrets,
  };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks }, destination);
}

function isRefusedWrite(fields: unknown): boolean {
  const { err } = (fields ?? {}) as { err?: unknown };
  return err instanceof StorageUnavailableError || err instanceof BlobsUnavailableError;
}

/** Removes the query and the credentials of every URL in a line of JSON, and the secret in the path of a file's URL. */
function withoutUrlSecrets(line: string): string {
  return line
    .replaceAll(/(\/v1\/content\/[^/\s"\\?#]+\/)[^/\s"\\?#]+/g, "$1…")
    .replaceAll(/([a-z]:\/\/[^\s"\\?#]*|\/v1\/[^\s"\\?#]*)\?[^\s"\\#]*/gi, "$1?…")
    .replaceAll(/(:\/\/)[^/\s"\\@]+@/g, "$1…@");
}
