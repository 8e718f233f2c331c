import type { Database } from "#storage/database/database.ts";
import type { SteadyClock } from "../lib/clock.ts";
import type { Config } from "../settings/settings.ts";
import type { Logger } from "../lib/logger.ts";
import type { ProviderTimeouts } from "../models/providers/chat-completions/watchdog.ts";
import type { Tool } from "../tools/tool.ts";

export type StartOptions = {
  logger: Logger;
  /** The folder that holds `dist/web`. */
  root: string;
  clock?: SteadyClock;
  /** For tests: milliseconds between two words of the built-in assistant. */
  wordMs?: number;
  /** For tests: tools beside our own. */
  tools?: readonly Tool[];
  /** For tests of silence: the timeouts for models. */
  modelTimeouts?: Partial<ProviderTimeouts>;
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
