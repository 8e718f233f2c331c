import { pino, type Logger as PinoLogger } from "pino";

export type Logger = Pick<PinoLogger, "debug" | "info" | "warn" | "error" | "child">;

export const logLevels = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The log: JSON lines on standard error, so that standard output is the person's. Secrets are never its fields. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}
