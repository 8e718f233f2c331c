import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import pg from "pg";
import { createPostgresPubSub, type PostgresPubSub } from "../pub-sub/postgres-pub-sub.ts";
import { workToItsEnd, type Database, type Tx } from "./database.ts";
import { StorageBusyError } from "../errors.ts";
import { migrate } from "../migrations/migrate.ts";
import { OneTransaction } from "./one-transaction.ts";
import { beforeCommit, wasCommitted } from "./postgres-commit.ts";
import { TranslatingPostgresDialect } from "./postgres-dialect.ts";
import { isWorthRepeating, translatePostgresError } from "./postgres-errors.ts";
import { assertNotificationsArrive, poolerError } from "./postgres-pooler.ts";
import { postgresTypes } from "./postgres-types.ts";
import { ReadOnlyPlugin } from "./read-only.ts";
import type { Tables } from "./tables.ts";

/** 10 s to get a connection, new or from the pool. */
const connectMaxMs = 10_000;
/** 30 s: no statement of ours takes seconds. The client gives up 5 s later, for a server that has gone silent. */
const statementMaxMs = 30_000;
const answerMaxMs = 35_000;
/** 5 times within about half a second. */
const repeatsMax = 5;
const repeatMs = 20;

type Options = {
  /** postgres://user:password@host:port/database, PostgreSQL 13 or newer. */
  url: string;
  /**
   * The same database without a pooler between, where `url` goes through one that gives each transaction another
   * connection: for what needs one of its own, which is pub/sub, and migrating.
   */
  directUrl?: string | undefined;
  /** Connections for reads and transactions; there is one more for pub/sub. */
  poolSize?: number;
};

/**
 * Opens a PostgreSQL database, migrating it as needed; any number of servers may share it.
 * Throws `StorageBusyError` when it is not to be had, `PoolerInTheWayError` and `SchemaVersionError`.
 */
export async function openPostgres({ url, directUrl, poolSize = 10 }: Options): Promise<Database> {
  const base = { keepAlive: true, connectionTimeoutMillis: connectMaxMs };
  const direct = { ...base, connectionString: directUrl ?? url };
  await migrateAlone(direct).catch((error: unknown) => {
    throw poolerError(error) ?? error;
  });

  const pool = newPool({
    ...base,
    connectionString: url,
    application_name: "parlance",
    max: poolSize,
    query_timeout: answerMaxMs,
    // What a connection is begun with, poolers refuse.
    ...(directUrl === undefined
      ? { statement_timeout: statementMaxMs, idle_in_transaction_session_timeout: statementMaxMs }
      : {}),
    types: postgresTypes,
  });
  const newClient = (): pg.Client =>
    new pg.Client({ ...direct, application_name: "parlance notifications", query_timeout: connectMaxMs });
  const one = new OneTransaction();
  const before = (): void => one.assertOutside();
  const write = new Kysely<Tables>({
    dialect: new TranslatingPostgresDialect({ pool }, { before, transactions: true }),
  });
  const read = new Kysely<Tables>({
    dialect: new TranslatingPostgresDialect({ pool }, { before, transactions: false }),
    plugins: [new ReadOnlyPlugin()],
  });
  const pubSub = createPostgresPubSub({ newClient, sender: randomUUID() });
  const close = async (): Promise<void> => {
    await pubSub.close();
    await pool.end();
  };
  try {
    await pubSub.connected;
    await assertNotificationsArrive(pool, pubSub);
  } catch (error) {
    await close();
    throw poolerError(error) ?? translatePostgresError(error);
  }
  return database({ write, read, pubSub, one, close });
}

/** With a connection of its own that no limit of time ends: rewriting a large table may take minutes. */
async function migrateAlone(base: pg.PoolConfig): Promise<void> {
  const pool = newPool({ ...base, application_name: "parlance migration", max: 1, types: postgresTypes });
  try {
    const dialect = new TranslatingPostgresDialect({ pool }, { transactions: true });
    await migrate(new Kysely<Tables>({ dialect }), "postgres");
  } finally {
    await pool.end();
  }
}

function newPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  // A connection that breaks between two statements says so as an event, which nobody hearing it would end the
  // process. Whoever uses it next gets the error.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

type Parts = {
  write: Kysely<Tables>;
  read: Kysely<Tables>;
  pubSub: PostgresPubSub;
  one: OneTransaction;
  close: () => Promise<void>;
};

function database({ write, read, pubSub, one, close }: Parts): Database {
  let closing: Promise<void> | undefined;

  async function transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const publishOnCommit = new Set<string>();
    let done: { value: T; number: string | undefined } | undefined;
    try {
      await write
        .transaction()
        .setIsolationLevel("read committed")
        .execute(async (q) => {
          const value = await one.run(() =>
            workToItsEnd({ engine: "postgres", q, publishOnCommit, appended: [], atEnd: [] }, work),
          );
          done = { value, number: await beforeCommit(q, pubSub.payloads(publishOnCommit)) };
        });
    } catch (error) {
      // From here on the commit was under way.
      const broke = error instanceof StorageBusyError ? done : undefined;
      if (broke?.number === undefined || !(await wasCommitted(write, broke.number))) throw error;
    }
    if (done === undefined) throw new Error("A transaction ended without its work.");
    pubSub.publish(publishOnCommit);
    return done.value;
  }

  async function transactAgain<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    one.assertOutside();
    if (closing) throw new Error("The database is closed.");
    for (let repeats = 0; ; repeats++) {
      try {
        return await transact(work);
      } catch (error) {
        if (!isWorthRepeating(error) || repeats === repeatsMax) throw error;
        await sleep(repeatMs * 2 ** repeats * Math.random());
      }
    }
  }

  return {
    engine: "postgres",
    read,
    readWorker: read,
    pubSub,
    // Other processes append too, so the cache would miss entries.
    recentEntries: undefined,
    write: transactAgain,
    // Nobody stands in a line: each takes a connection of its own.
    writeFirst: transactAgain,
    problem: () => undefined,
    close: () => (closing ??= close()),
  };
}
