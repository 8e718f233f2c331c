import { pino, type DestinationStream, type Logger as PinoLogger, type LoggerOptions } from "pino";
import { BlobsUnavailableError } from "#storage/blobs/blobs.ts";
import { StorageUnavailableError } from "#storage/errors.ts";

export type Logger = Pick<PinoLogger, "debug" | "info" | "warn" | "error" | "child">;

export const logLevels = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * The log: JSON lines on standard error unless `destination` is given, so that standard output is the person's. Secrets
 * are never its fields.
 *
 * Storage that refuses writes is logged once, when it begins (`server/lib/storage-state.ts`). What fails because of it,
 * requests and retries, is logged at `debug`.
 */
export function createLogger(
  level: LogLevel,
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Logger {
  const hooks: LoggerOptions["hooks"] = {
    logMethod(args, method, number) {
      const isQuiet = number > pino.levels.values.debug! && isRefusedWrite(args[0]);
      (isQuiet ? this.debug : method).apply(this, args);
    },
  };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks }, destination);
}

function isRefusedWrite(fields: unknown): boolean {
  const { err } = (fields ?? {}) as { err?: unknown };
  return err instanceof StorageUnavailableError || err instanceof BlobsUnavailableError;
}
