import type { Clock } from "#server/lib/clock.ts";

/** What the command line stands in: passed in, so that tests run it without a process of its own. */
export type World = {
  /** The folder of the clone: `.env` is read there, and paths of settings are relative to it. */
  root: string;
  /** In place of the process's environment. */
  environment?: Record<string, string | undefined>;
  clock?: Clock;
  /** Standard output: answers, and nothing else. */
  out(text: string): void;
  /** Standard error: what went wrong, and what is said along the way. */
  err(text: string): void;
};
