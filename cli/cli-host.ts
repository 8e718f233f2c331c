import type { Clock } from "#server/lib/clock.ts";

/** The environment of the command line. Tests pass their own and need no separate process. */
export type CliHost = {
  /** The folder of the clone, with `.env`. Paths in settings are relative to it. */
  root: string;
  /** Replaces the environment variables of the process. */
  environment?: Record<string, string | undefined>;
  clock?: Clock;
  /** Writes to standard output: results only. */
  out(text: string): void;
  /** Writes to standard error: failures and progress. */
  err(text: string): void;
};
