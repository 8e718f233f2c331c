import type { Database } from "#storage/database/database.ts";
import type { SteadyClock } from "../lib/clock.ts";
import type { Config } from "../settings/settings.ts";
import type { Logger } from "../lib/logger.ts";
import type { Patience } from "../models/providers/openai-compatible/line.ts";
import type { Tool } from "../tools/tool.ts";

export type StartOptions = {
  logger: Logger;
  /** The folder that holds `dist/web`. */
  root: string;
  clock?: SteadyClock;
  /** For tests: how long the built-in assistant takes for a word. */
  wordMs?: number;
  /** For tests: tools beside our own. */
  tools?: readonly Tool[];
  /** For tests of silence: how long a model may say nothing. */
  modelPatience?: Partial<Patience>;
  /** For tests of streams: how often one says that it lives, and asks whether its reader may go on. */
  heartbeatMs?: number;
  /** For tests of readers: how long one may take nothing before it is cut off. */
  stalledReaderMs?: number;
  /** For tests of slow senders: how long any body may take that is read as a whole. */
  bodyMs?: number;
};

/** What every room stands on. */
export type Ground = {
  config: Config;
  options: StartOptions;
  logger: Logger;
  clock: SteadyClock;
  db: Database;
  /** What this server's own secrets are derived from. */
  secret: string;
};
