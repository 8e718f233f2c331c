import { createLogger, type Logger } from "#server/lib/logger.ts";

export type LogLine = { level: number; msg: string; [field: string]: unknown };

/** What a server said in its log, from `debug` up, as the operator would read it. */
export type CollectedLog = {
  logger: Logger;
  /** Every line so far, as text: for saying what must not be in it. */
  text(): string;
  lines(): LogLine[];
  /** The lines at level error that nobody took yet, in short. A test that provokes one takes it. */
  takeErrors(): string[];
};

const errorLevel = 50;

export function collectLog(): CollectedLog {
  const written: string[] = [];
  let taken = 0;
  const logger = createLogger("debug", { write: (line: string) => void written.push(line) });
  const lines = (): LogLine[] => written.map((line) => JSON.parse(line) as LogLine);
  return {
    logger,
    lines,
    text: () => written.join(""),
    takeErrors() {
      const errors = lines()
        .slice(taken)
        .filter(({ level }) => level >= errorLevel);
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
