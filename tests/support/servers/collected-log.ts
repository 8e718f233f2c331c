import { createLogger, type Logger } from "#server/lib/logger.ts";

export type LogLine = { level: number; msg: string; [field: string]: unknown };

/** The log of a server, from level `debug`. */
export type CollectedLog = {
  logger: Logger;
  /** All lines so far as text, for checks of what must not be in the log. */
  text(): string;
  lines(): LogLine[];
  /** Returns and clears the lines at level error, in short form. A test that causes one calls this. */
  takeErrors(): string[];
};

const errorLevel = 50;

export function collectLog(): CollectedLog {
  const written: string[] = [];
  let taken = 0;
  const logger = createLogger("debug", { write: (line: string) => void written.push(line) });
  const linesFrom = (start: number): LogLine[] =>
    written.slice(start).map((line) => JSON.parse(line) as LogLine);
  return {
    logger,
    lines: () => linesFrom(0),
    text: () => written.join(""),
    takeErrors() {
      const errors = linesFrom(taken).filter(({ level }) => level >= errorLevel);
      taken = written.length;
      return errors.map(brief);
    },
  };
}

function brief({ msg, code, err }: LogLine): string {
  const { message = "", stack = "" } = (err ?? {}) as { message?: string; stack?: string };
  const at = stack.split("\n").find((line) => line.includes("/server/"));
  return [msg, code, message, at?.trim()].filter((part) => part !== undefined && part !== "").join(" | ");
}
