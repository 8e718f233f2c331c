import { pino, type DestinationStream, type Logger as PinoLogger, type LoggerOptions } from "pino";
import type { Writable } from "node:stream";
import { cutText } from "#contract/text.ts";
import { BlobsUnavailableError } from "#storage/blobs/blobs.ts";
import { StorageUnavailableError } from "#storage/lib/errors.ts";

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
    streamWrite: (line) => withoutUrlSecrets(shortened(line)),
  };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks }, destination);
}

function isRefusedWrite(fields: unknown): boolean {
  const { err } = (fields ?? {}) as { err?: unknown };
  return err instanceof StorageUnavailableError || err instanceof BlobsUnavailableError;
}

/** Errors can have what a stranger's server sent: megabytes, for which the search for URLs would take minutes. */
const lineCharactersMax = 16_384;
const textCharactersMax = 4_000;

/** The line of JSON with its texts cut if it is long, and only with its message if that is not enough. */
function shortened(line: string): string {
  if (line.length <= lineCharactersMax) return line;
  const fields = JSON.parse(line, (_, value: unknown) =>
    typeof value === "string" ? cutText(value, textCharactersMax) : value,
  ) as Record<string, unknown>;
  const cut = `${JSON.stringify(fields)}\n`;
  if (cut.length <= lineCharactersMax) return cut;
  const { level, time, msg } = fields;
  return `${JSON.stringify({ level, time, msg, isCut: true })}\n`;
}

/** Removes the query and the credentials of every URL in a line of JSON, and the secret in the path of a file's URL. */
function withoutUrlSecrets(line: string): string {
  return line
    .replaceAll(/(\/v1\/content\/[^/\s"\\?#]+\/)[^/\s"\\?#]+/g, "$1…")
    .replaceAll(/([a-z]:\/\/[^\s"\\?#]*|\/v1\/[^\s"\\?#]*)\?[^\s"\\#]*/gi, "$1?…")
    .replaceAll(/(:\/\/)[^/\s"\\@]+@/g, "$1…@");
}

/**
 * Writes lines to `stream` and never waits for its reader. Up to `maxBytes` are kept while the reader reads nothing, such
 * as a stopped log collector at the end of a pipe. Lines beyond that are dropped; `describeDrops` returns the line that
 * reports their number as soon as there is space again.
 */
function createBoundedOutput(
  stream: Writable,
  { maxBytes, describeDrops }: { maxBytes: number; describeDrops: (count: number) => string },
): { write(line: string): void } {
  let dropped = 0;

  function reportDrops(): void {
    if (dropped === 0) return;
    stream.write(describeDrops(dropped));
    dropped = 0;
  }

  stream.on("drain", reportDrops);
  // The reader has closed the stream. The server continues without a log.
  stream.on("error", () => {});
  return {
    write(line) {
      if (stream.destroyed || stream.writableLength + line.length > maxBytes) dropped++;
      else stream.write(line);
    },
  };
}

/** Resolves when everything is written, or after `maxMs` if the reader reads nothing. */
async function drained(stream: Writable, maxMs: number): Promise<void> {
  if (stream.writableLength === 0 || stream.destroyed) return;
  await new Promise<void>((resolve) => {
    setTimeout(resolve, maxMs);
    stream.once("drain", resolve);
    stream.once("error", () => resolve());
  });
}
