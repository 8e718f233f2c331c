import { readConfig, type Config } from "#server/settings/settings.ts";
import { systemClock, type Clock } from "#server/lib/clock.ts";
import { prepareDataDir } from "#server/settings/data-dir.ts";
import type { Database } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import type { World } from "./context.ts";

/** What a command works with. */
export type Door = {
  /** The settings, the same that the server reads. Throws `ConfigError`. */
  config(): Config;
  clock: Clock;
  /**
   * Opens the server's database for `work` and closes it after. The server may be running: what is changed counts
   * from its next request on. `work` appends to no log; threads and messages are changed with `withDatabaseAlone`, or
   * by asking the server.
   */
  withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** The same for work that changes anything. On SQLite it throws `DatabaseInUseError` while a server runs. */
  withDatabaseAlone<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** The answer, once: `text` for people, or `json` for programs where `--json` was given. */
  answer(answer: { text: string; json: unknown }): void;
  /** A line on standard error: how far it is, or what is worth knowing beside the answer. */
  note(text: string): void;
};

export function createDoor(world: World, wantsJson: () => boolean): Door {
  let config: Config | undefined;
  const door: Door = {
    config: () => (config ??= readConfig(world.root, ...(world.environment ? [world.environment] : []))),
    clock: world.clock ?? systemClock,
    withDatabase: async (work) => await withDatabase(door.config(), true, work),
    withDatabaseAlone: async (work) => await withDatabase(door.config(), false, work),
    answer({ text, json }) {
      world.out(`${wantsJson() ? JSON.stringify(json, undefined, 2) : text}\n`);
    },
    note: (text) => world.err(`${text}\n`),
  };
  return door;
}

async function withDatabase<T>(
  config: Config,
  alongsideServer: boolean,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { databaseUrl, databaseDirectUrl: directUrl, dataDir } = config;
  if (databaseUrl === undefined) await prepareDataDir(dataDir);
  const db = await openDatabase({ databaseUrl, directUrl, dataDir, alongsideServer });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
