import type { Command } from "commander";
import { setUpNetwork } from "#server/fetch/process-network.ts";
import { readConfig, type Config } from "#server/settings/settings.ts";
import { CommandError } from "./errors.ts";
import { systemClock, type SteadyClock } from "#server/lib/clock.ts";
import { prepareDataDir } from "#server/settings/data-dir.ts";
import type { Database } from "#storage/database/database.ts";
import { noCopy, openDatabase } from "#storage/database/open.ts";
import type { UpgradeCopies } from "#storage/database/upgrade-copies.ts";

/** What every command receives. */
export type CommandContext = {
  /** The server's settings. Throws `ConfigError`. */
  config(): Config;
  clock: SteadyClock;
  /**
   * Opens the server's database, runs `work` and closes the database. The server may be running; changes apply from its
   * next request. `work` must not append to a log: commands change threads and messages with `withExclusiveDatabase` or
   * through the server's API.
   */
  withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /**
   * Like `withDatabase`, for `work` that may change anything. On SQLite it throws `DatabaseInUseError` while a server
   * runs.
   */
  withExclusiveDatabase<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** Asks at the terminal for a text that it does not show; `undefined` without a terminal. */
  askSecret(question: string): Promise<string | undefined>;
  /** Prints the result, once: `json` if `--json` was given, else `text`. */
  print(answer: { text: string; json: unknown }): void;
  /** Asks the operator a question with yes or no. Throws `CommandError` if nobody can answer. */
  confirm(question: string): Promise<boolean>;
  /** Prints a line to standard error: progress or a warning. */
  log(text: string): void;
};

export function createContext(host: CliHost, wantsJson: () => boolean): CommandContext {
  let config: Config | undefined;
  const readSettings = () => {
    const settings = readConfig(host.folder, ...(host.environment ? [host.environment] : []));
    setUpNetwork(settings);
    return settings;
  };
  const context: CommandContext = {
    config: () => (config ??= readSettings()),
    clock: host.clock ?? systemClock,
    withDatabase: async (work) => await withDatabase(context, true, work),
    withExclusiveDatabase: async (work) => await withDatabase(context, false, work),
    askSecret: async (question) => await host.askSecret?.(question),
    print({ text, json }) {
      host.out(`${wantsJson() ? JSON.stringify(json, undefined, 2) : text}\n`);
    },
    async confirm(question) {
      if (host.ask === undefined)
        throw new CommandError(
          "Nobody can answer here, because this is no terminal. With --yes it is not asked.",
        );
      return /^y(es)?$/i.test(await host.ask(`${question} [y/N] `));
    },
    log: (text) => host.err(`${text}\n`),
  };
  return context;
}

async function withDatabase<T>(
  { config, log }: Pick<CommandContext, "config" | "log">,
  alongsideServer: boolean,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { databaseUrl, databaseDirectUrl: directUrl, dataDir, updates } = config();
  if (databaseUrl === undefined) await prepareDataDir(dataDir);
  const copies: UpgradeCopies = {
    policy: updates.copyBeforeUpgrade,
    onMade: (copy) =>
      log(
        `The database was copied to ${copy} before the upgrade. Delete the copy when the new version works.`,
      ),
    onNone: (why) => log(noCopy(why)),
  };
  const db = await openDatabase({ databaseUrl, directUrl, dataDir, alongsideServer, copies });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** The environment of the command line. Tests pass their own and need no separate process. */
export type CliHost = {
  /** Has `.env`. Paths in settings are relative to it. */
  folder: string;
  /** Replaces the environment variables of the process. */
  environment?: Record<string, string | undefined>;
  clock?: SteadyClock;
  /** Adds the commands that only the package has: `parlance` starts the server too. */
  addCommands?(program: Command, context: CommandContext): void;
  /** Asks for a text that the terminal does not show; absent without a terminal. */
  askSecret?(question: string): Promise<string>;
  /** Asks the person at the terminal, and returns a line. Absent if there is none. */
  ask?(question: string): Promise<string>;
  /** Writes to standard output: results only. */
  out(text: string): void;
  /** Writes to standard error: failures and progress. */
  err(text: string): void;
};
