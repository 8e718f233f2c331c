import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, type QueryExecutorProvider } from "kysely";
import pg from "pg";
import { createPostgresPubSub, type PostgresPubSub } from "#storage/pub-sub/postgres-pub-sub.ts";
import { runWork, type Database, type Tx } from "../database.ts";
import { StorageBusyError } from "#storage/lib/errors.ts";
import { migrate } from "#storage/migrations/migrate.ts";
import { TransactionGuard } from "../transaction-guard.ts";
import { notifyOnCommit, wasCommitted } from "./commit.ts";
import { TranslatingPostgresDialect } from "./dialect.ts";
import { isWorthRepeating, translatePostgresError } from "./errors.ts";
import { explainOpenError } from "./open-error.ts";
import { assertNotificationsArrive, poolerError } from "./pooler.ts";
import { findEndedProcesses, holdProcessLock, lockedProcessName } from "./process-lock.ts";
import { createPreparedStatements } from "./prepared-statements.ts";
import { postgresTypes } from "./types.ts";
import type { Appended } from "#storage/lib/log-entry.ts";
import { createRecentEntries, type RecentEntries } from "../recent-entries.ts";
import { ReadOnlyPlugin } from "../read-only.ts";
import type { Tables } from "../tables.ts";

/** 10 s to get a connection, new or from the pool. */
const connectMaxMs = 10_000;
/** 30 s: our statements take less than a second. The client gives up 5 s later, in case the server is silent. */
const statementMaxMs = 30_000;
const answerMaxMs = 35_000;
/** 5 repeats within about half a second. */
const repeatsMax = 5;
const repeatMs = 20;

type Options = {
  /** postgres://user:password@host:port/database, PostgreSQL 13 or newer. */
  url: string;
  /**
   * The same database without a pooler in between, if `url` goes through one in transaction mode. Pub/sub and migrations
   * need a connection that stays the same.
   */
  directUrl?: string | undefined;
  /** Called in the transaction that migrates an existing database, once and before its tables change. */
  beforeMigrating?: (q: QueryExecutorProvider) => Promise<void>;
  /** Connections for reads and transactions. `writeFirst` and pub/sub use one more each. */
  poolSize?: number;
};

/**
 * Opens and migrates a PostgreSQL database, which any number of servers may share. Throws
 * `DatabaseUnreachableError`, `DatabaseSetupError`, `UnsupportedPoolerError` and `SchemaVersionError`.
 */
export async function openPostgres({
  url,
  directUrl,
  beforeMigrating = async () => {},
  poolSize = 10,
}: Options): Promise<Database> {
  const base = { keepAlive: true, connectionTimeoutMillis: connectMaxMs };
  const direct = { ...base, connectionString: directUrl ?? url };
  await migrateOnOneConnection(direct, beforeMigrating).catch((error: unknown) => {
    throw (
      poolerError(error) ??
      explainOpenError(error, {
        url: directUrl ?? url,
        setting: directUrl === undefined ? "DATABASE_URL" : "DATABASE_DIRECT_URL",
      })
    );
  });

  // Behind a pooler in transaction mode, the lock of a process would not end with it, and a process whose direct connection
  // is lost still works.
  const processName = directUrl === undefined ? lockedProcessName(randomUUID()) : randomUUID();
  const holdLock = async (client: pg.ClientBase): Promise<void> => {
    if (directUrl === undefined) await holdProcessLock(client, processName);
  };
  const pooled = {
    ...base,
    connectionString: url,
    onConnect: holdLock,
    application_name: "parlance",
    query_timeout: answerMaxMs,
    // Poolers refuse these startup parameters.
    ...(directUrl === undefined
      ? { statement_timeout: statementMaxMs, idle_in_transaction_session_timeout: statementMaxMs }
      : {}),
    types: postgresTypes,
  };
  const pool = newPool({ ...pooled, max: poolSize });
  // Output that is read live does not wait for a connection behind the requests that start other answers.
  const firstPool = newPool({ ...pooled, max: 1 });
  const newClient = (): pg.Client =>
    new pg.Client({ ...direct, application_name: "parlance notifications", query_timeout: connectMaxMs });
  const guard = new TransactionGuard();
  const before = (): void => guard.assertOutside();
  // Behind a pooler in transaction mode, the next transaction may be on another connection.
  const statements = directUrl === undefined ? createPreparedStatements() : undefined;
  const writing = (on: pg.Pool): Kysely<Tables> =>
    new Kysely<Tables>({
      dialect: new TranslatingPostgresDialect({ pool: on }, { before, transactions: true, statements }),
    });
  const write = writing(pool);
  const writeFirst = writing(firstPool);
  const reading = (prepared?: typeof statements): Kysely<Tables> =>
    new Kysely<Tables>({
      dialect: new TranslatingPostgresDialect(
        { pool },
        { before, transactions: false, statements: prepared },
      ),
      plugins: [new ReadOnlyPlugin()],
    });
  const read = reading(statements);
  // The best plan of a search depends on its words.
  const readWorker = reading();
  const recentEntries = createRecentEntries();
  const pubSub = createPostgresPubSub({
    newClient,
    prepareClient: holdLock,
    sender: processName,
    beforeOthers: (topics) => (topics === "any" ? recentEntries.clear() : recentEntries.forget(topics)),
  });
  const close = async (): Promise<void> => {
    await pubSub.close();
    await Promise.all([pool.end(), firstPool.end()]);
  };
  try {
    await pubSub.connected;
    await assertNotificationsArrive(pool, pubSub);
  } catch (error) {
    await close();
    throw (
      poolerError(error) ?? explainOpenError(translatePostgresError(error), { url, setting: "DATABASE_URL" })
    );
  }
  return createDatabase({
    processName,
    write,
    writeFirst,
    read,
    readWorker,
    pubSub,
    recentEntries,
    guard,
    close,
  });
}

/** Uses a connection without time limits: rewriting a large table may take minutes. */
async function migrateOnOneConnection(
  base: pg.PoolConfig,
  before: (q: QueryExecutorProvider) => Promise<void>,
): Promise<void> {
  const pool = newPool({ ...base, application_name: "parlance migration", max: 1, types: postgresTypes });
  try {
    const dialect = new TranslatingPostgresDialect({ pool }, { transactions: true });
    // A migration locks whole tables, so it can deadlock with the statements of running servers.
    let isCopied = false;
    await withRepeats(
      async () =>
        await migrate(new Kysely<Tables>({ dialect }), "postgres", async (q) => {
          if (!isCopied) await before(q);
          isCopied = true;
        }),
    );
  } finally {
    await pool.end();
  }
}

/** Repeats a transaction that conflicted with another one or lost its connection. */
async function withRepeats<T>(transact: () => Promise<T>): Promise<T> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await transact();
    } catch (error) {
      if (!isWorthRepeating(error) || repeats === repeatsMax) throw error;
      await sleep(repeatMs * 2 ** repeats * Math.random());
    }
  }
}

function newPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  // A connection that breaks while idle emits an error event, which would end the process if it had no listener. The next
  // statement on that connection rejects with the error.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

type Parts = {
  processName: string;
  write: Kysely<Tables>;
  writeFirst: Kysely<Tables>;
  read: Kysely<Tables>;
  readWorker: Kysely<Tables>;
  pubSub: PostgresPubSub;
  recentEntries: RecentEntries;
  guard: TransactionGuard;
  close: () => Promise<void>;
};

function createDatabase(parts: Parts): Database {
  const { processName, write, writeFirst, read, readWorker, pubSub, recentEntries, guard, close } = parts;
  let closing: Promise<void> | undefined;

  async function transact<T>(on: Kysely<Tables>, work: (tx: Tx) => Promise<T>): Promise<T> {
    const publishOnCommit = new Set<string>();
    const appended: Appended[] = [];
    const recent = recentEntries.begin();
    let done: { value: T; transactionId: string | undefined } | undefined;
    try {
      await on
        .transaction()
        .setIsolationLevel("read committed")
        .execute(async (q) => {
          const value = await guard.run(() =>
            runWork({ engine: "postgres", q, publishOnCommit, appended, beforeCommit: [] }, work),
          );
          done = { value, transactionId: await notifyOnCommit(q, pubSub.payloads(publishOnCommit)) };
        });
      recent.add(appended);
    } catch (error) {
      // If `done` is set, the commit had begun.
      const inDoubt = error instanceof StorageBusyError ? done?.transactionId : undefined;
      if (inDoubt === undefined || !(await wasCommitted(write, inDoubt))) throw error;
    } finally {
      recent.end();
    }
    if (done === undefined) throw new Error("A transaction ended without running its work.");
    pubSub.publish(publishOnCommit);
    return done.value;
  }

  async function transactWithRepeats<T>(on: Kysely<Tables>, work: (tx: Tx) => Promise<T>): Promise<T> {
    guard.assertOutside();
    if (closing) throw new Error("The database is closed.");
    return await withRepeats(async () => await transact(on, work));
  }

  return {
    engine: "postgres",
    processName,
    read,
    readWorker,
    pubSub,
    recentEntries,
    write: async (work) => await transactWithRepeats(write, work),
    writeFirst: async (work) => await transactWithRepeats(writeFirst, work),
    problem: () => undefined,
    findEndedProcesses: async (names) => await findEndedProcesses(read, names),
    close: () => (closing ??= close()),
  };
}
