import { randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import type { Appended } from "#storage/lib/log-entry.ts";
import { createStoragePathCheck, type OnStorageChange } from "#storage/lib/storage-path-check.ts";
import { StorageBusyError, StorageUnavailableError } from "#storage/lib/errors.ts";
import { isMigrated, migrate, pendingMigrations } from "#storage/migrations/migrate.ts";
import { Mutex } from "#storage/lib/mutex.ts";
import { createMemoryPubSub } from "#storage/pub-sub/memory-pub-sub.ts";
import { runWork, type Database, type Tx } from "../database.ts";
import { ReadOnlyPlugin } from "../read-only.ts";
import { createRecentEntries } from "../recent-entries.ts";
import { SqliteConnection } from "./connection.ts";
import { copyBeforeMigration } from "./copy-before-migration.ts";
import { NodeSqliteDialect } from "./dialect.ts";
import { explainSqliteOpenError, translateSqliteError } from "./errors.ts";
import { DatabaseInUseError, lockDatabase } from "./lock.ts";
import { SqliteReadWorker } from "./read-worker.ts";
import type { Tables } from "../tables.ts";
import { TransactionGuard } from "../transaction-guard.ts";
import type { UpgradeCopies } from "../upgrade-copies.ts";
import { openWriteAheadLog, type SyncedFile, type WriteAheadLog } from "./write-ahead-log.ts";

/** 100 ms: SQLite blocks the thread while it waits for a lock. After that `whenUnlocked` waits asynchronously. */
const blockingWaitMs = 100;
const retryMs = 50;

type Options = {
  path: string;
  /** How long a transaction waits for another program's lock. 5 s: longer than a manual query takes. */
  lockTimeoutMs?: number;
  /** How often to check whether another program has written. 500 ms: a check takes a few microseconds. */
  otherWritersPollMs?: number;
  onStorageChange?: OnStorageChange | undefined;
  copies?: UpgradeCopies | undefined;
  /** For tests: opens the write-ahead log for syncing. */
  openLog?: (path: string) => Promise<SyncedFile>;
};

const pragmas = [
  // Until the server is up. Afterwards commits are synced asynchronously, before they are acknowledged.
  "synchronous = full",
  "foreign_keys = on",
  "temp_store = memory",
  // 32 MiB of pages for each connection (negative values are KiB).
  "cache_size = -32768",
  // 128 MiB: the size to which an unusually long write-ahead log is truncated. It usually has half of that. Truncating
  // it after every checkpoint blocked the thread for another 60 ms.
  "journal_size_limit = 134217728",
  // 64 MiB of pages of 4 KiB. A checkpoint blocks the thread, so it should be rare; and the page that every run rewrites
  // at each tick is then copied once instead of four times.
  "wal_autocheckpoint = 16384",
];

/**
 * A transaction alongside a server on SQLite appended to a log that the server caches; the transaction was rolled back.
 * Append in the server, or while it is stopped.
 */
export class LogOwnedByServerError extends Error {
  override readonly name = "LogOwnedByServerError";
  constructor() {
    super("A database that is opened alongside its server cannot append to logs. Stop the server for that.");
  }
}

/**
 * Opens the database file at `path` for this process alone, and creates and migrates it as needed. One connection writes,
 * one transaction at a time; another reads and never waits for it. Before it migrates an existing database, it copies
 * it. Throws `DatabaseInUseError`, `SchemaVersionError` and `StorageFullError`.
 */
export async function openSqlite({
  path,
  lockTimeoutMs = 5_000,
  otherWritersPollMs = 500,
  onStorageChange,
  copies,
  openLog,
}: Options): Promise<Database> {
  const release = lockOrExplain(path);
  try {
    // Only the owner may read conversations. SQLite gives its log and index the mode of the file.
    closeSync(openSync(path, "a", 0o600));
    return await connect({
      path,
      lockTimeoutMs,
      release,
      otherWritersPollMs,
      onStorageChange,
      copies,
      openLog,
    });
  } catch (error) {
    release();
    throw explainSqliteOpenError(error, path);
  }
}

function lockOrExplain(path: string): () => void {
  try {
    return lockDatabase(path);
  } catch (error) {
    throw explainSqliteOpenError(error, path);
  }
}

/**
 * Opens the database at `path` while a server may be using it, for work that appends to no log.
 *
 * This is safe. SQLite locks between processes: with a write-ahead log readers never wait, writers take turns, and both
 * sides repeat a transaction that finds the file locked. A server keeps only recent log entries and its subscribers in
 * memory. So a transaction that appends to a log is rolled back and throws `LogOwnedByServerError`, rows are read again
 * by the server's next statement, and the server's subscribers are notified within half a second. The schema never
 * changes under a server: if it is not this version's, the database is first locked and migrated as a server would.
 *
 * Throws `DatabaseInUseError` if a server of another version is using it, and `SchemaVersionError`.
 */
export async function openSqliteAlongsideServer({
  path,
  lockTimeoutMs = 5_000,
  copies,
}: Options): Promise<Database> {
  const deadlineMs = performance.now() + lockTimeoutMs;
  while (!(await isReady(path))) {
    try {
      await (await openSqlite({ path, lockTimeoutMs, copies })).close();
    } catch (error) {
      // A server that is just starting may be creating or migrating it.
      if (!(error instanceof DatabaseInUseError) || performance.now() > deadlineMs) throw error;
      await sleep(retryMs);
    }
  }
  return await connect({
    path,
    lockTimeoutMs,
    release: () => {},
    otherWritersPollMs: undefined,
    onStorageChange: undefined,
    copies: undefined,
    openLog: undefined,
  });
}

/** Whether the file exists and has this version's schema. Throws `SchemaVersionError`. */
async function isReady(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const opened: DatabaseSync[] = [];
  try {
    const file = openFile(path, opened);
    const connection = new SqliteConnection(file, (error) => translateSqliteError(error, path));
    const dialect = new NodeSqliteDialect(connection, { transactions: false });
    return await isMigrated(new Kysely<Tables>({ dialect }));
  } finally {
    for (const file of opened) file.close();
  }
}

type Connect = {
  path: string;
  onStorageChange: OnStorageChange | undefined;
  copies: UpgradeCopies | undefined;
  openLog: Options["openLog"];
} & Pick<Parts, "lockTimeoutMs" | "release" | "otherWritersPollMs">;

async function connect({
  path,
  lockTimeoutMs,
  release,
  otherWritersPollMs,
  onStorageChange,
  copies,
  openLog,
}: Connect): Promise<Database> {
  const translate = (error: unknown): unknown => translateSqliteError(error, path);
  const opened: DatabaseSync[] = [];
  try {
    const writeFile = openFile(path, opened);
    const { journal_mode: mode } = writeFile.prepare("pragma journal_mode = wal").get() as {
      journal_mode: string;
    };
    if (mode !== "wal")
      throw new Error(`SQLite cannot keep a write-ahead log beside ${path}. Use a local disk.`);
    const guard = new TransactionGuard();
    const writer = new SqliteConnection(writeFile, translate);
    const write = new Kysely<Tables>({ dialect: new NodeSqliteDialect(writer, { transactions: true }) });
    if (otherWritersPollMs !== undefined) {
      const { names, isEmpty } = await pendingMigrations(write);
      if (names.length > 0 && !isEmpty) await copyBeforeMigration(writeFile, path, copies ?? {});
      await migrate(write, "sqlite");
    }

    const before = (): Promise<void> | undefined => {
      guard.assertOutside();
      // No read may see a commit that a power cut could still undo.
      return log.pendingSyncs();
    };
    const readOnly = (connection: SqliteConnection | SqliteReadWorker): Kysely<Tables> =>
      new Kysely<Tables>({
        dialect: new NodeSqliteDialect(connection, { before, transactions: false }),
        plugins: [new ReadOnlyPlugin()],
      });

    const readFile = openFile(path, opened);
    readFile.exec("pragma query_only = on");
    const reader = new SqliteConnection(readFile, translate);
    const worker = new SqliteReadWorker(path, translate);
    const log = await openWriteAheadLog(`${path}-wal`, translate, openLog);
    writeFile.exec("pragma synchronous = normal");
    const problem = createStoragePathCheck({
      paths: [path, `${path}-wal`],
      folder: dirname(path),
      onChange: onStorageChange,
    });
    return createDatabase({
      problem,
      writer,
      write,
      reader,
      read: readOnly(reader),
      worker,
      readWorker: readOnly(worker),
      guard,
      log,
      release,
      lockTimeoutMs,
      otherWritersPollMs,
    });
  } catch (error) {
    for (const file of opened) file.close();
    throw translate(error);
  }
}

function openFile(path: string, opened: DatabaseSync[]): DatabaseSync {
  const file = new DatabaseSync(path, { timeout: blockingWaitMs });
  opened.push(file);
  for (const pragma of pragmas) file.exec(`pragma ${pragma}`);
  return file;
}

type Parts = {
  problem: Database["problem"];
  writer: SqliteConnection;
  write: Kysely<Tables>;
  reader: SqliteConnection;
  read: Kysely<Tables>;
  worker: SqliteReadWorker;
  readWorker: Kysely<Tables>;
  guard: TransactionGuard;
  log: WriteAheadLog;
  release: () => void;
  lockTimeoutMs: number;
  /** Undefined alongside a server: such a process caches nothing that another writer could make stale. */
  otherWritersPollMs: number | undefined;
};

function createDatabase(parts: Parts): Database {
  const { writer, write, reader, read, worker, readWorker, guard, log, release } = parts;
  const { lockTimeoutMs, otherWritersPollMs, problem } = parts;
  const pubSub = createMemoryPubSub();
  const isAlongsideServer = otherWritersPollMs === undefined;
  const recentEntries = isAlongsideServer ? undefined : createRecentEntries();
  const unwatch = isAlongsideServer
    ? () => {}
    : watchOtherWriters(writer, otherWritersPollMs, () => {
        recentEntries?.clear();
        pubSub.publishAll();
      });
  const writeLock = new Mutex();
  const processName = randomUUID();
  let closing: Promise<void> | undefined;

  /** Resolves when the transaction is committed; `synced` resolves when the commit is on the disk. */
  async function transact<T>(work: (tx: Tx) => Promise<T>): Promise<{ value: T; synced: Promise<void> }> {
    const publishOnCommit = new Set<string>();
    const appended: Appended[] = [];
    log.assertHealthy();
    const value = await write.transaction().execute(async (q) => {
      const tx: Tx = { engine: "sqlite", q, publishOnCommit, appended, beforeCommit: [] };
      const result = await guard.run(() => runWork(tx, work));
      if (isAlongsideServer && appended.length > 0) throw new LogOwnedByServerError();
      // Before the commit, so that nothing of a refused write is kept.
      const found = problem();
      if (found !== undefined) throw new StorageUnavailableError(found);
      return result;
    });
    const synced = log.synced(() => {
      recentEntries?.add(appended);
      pubSub.publish(publishOnCommit);
    });
    return { value, synced };
  }

  async function close(): Promise<void> {
    unwatch();
    await writeLock.run(async () => {
      await worker.close();
      await log.close();
      reader.close();
      // The last connection to close moves the log into the file.
      writer.close();
      release();
    });
  }

  async function lockAndTransact<T>(how: "run" | "runFirst", work: (tx: Tx) => Promise<T>): Promise<T> {
    guard.assertOutside();
    if (closing) throw new Error("The database is closed.");
    // The next transaction need not wait for the sync: a later sync includes the commits before it.
    const { value, synced } = await writeLock[how](() => whenUnlocked(lockTimeoutMs, () => transact(work)));
    await synced;
    return value;
  }

  return {
    engine: "sqlite",
    processName,
    read,
    readWorker,
    pubSub,
    recentEntries,
    problem,
    write: async (work) => await lockAndTransact("run", work),
    writeFirst: async (work) => await lockAndTransact("runFirst", work),
    // The lock of the file allows one server.
    findEndedProcesses: async (names) => new Set(names.filter((name) => name !== processName)),
    close: () => (closing ??= close()),
  };
}

/**
 * Calls `changed` when another program, such as an operator's command, has written to the file, until the returned
 * function is called. Notifications do not cross processes on SQLite, but SQLite counts the writes of others.
 */
function watchOtherWriters(writer: SqliteConnection, everyMs: number, changed: () => void): () => void {
  let known = writer.dataVersion();
  const timer = setInterval(() => {
    const now = writer.dataVersion();
    if (now === known) return;
    known = now;
    changed();
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** Repeats `work` while another program has locked the file, which shows at the start of a transaction. */
async function whenUnlocked<T>(maxMs: number, work: () => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + maxMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isLocked = error instanceof StorageBusyError && !(error instanceof StorageUnavailableError);
      if (!isLocked || performance.now() > deadlineMs) throw error;
      await sleep(retryMs);
    }
  }
}
