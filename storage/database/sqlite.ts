import { closeSync, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import { createMemoryPubSub } from "../pub-sub/memory-pub-sub.ts";
import { createRecentEntries } from "./recent-entries.ts";
import type { Appended } from "../log-entry.ts";
import { createPlaceCheck, type OnStorageChange } from "../in-place.ts";
import { StorageBusyError, StorageUnavailableError } from "../errors.ts";
import { LogsAreElsewhereError, workToItsEnd, type Database, type Tx } from "./database.ts";
import { isMigrated, migrate } from "../migrations/migrate.ts";
import { OneTransaction } from "./one-transaction.ts";
import { Mutex } from "../mutex.ts";
import { ReadOnlyPlugin } from "./read-only.ts";
import { SqliteReadWorker } from "./sqlite-read-worker.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { NodeSqliteDialect } from "./sqlite-dialect.ts";
import { translateSqliteError } from "./sqlite-errors.ts";
import { DatabaseInUseError, holdDatabase } from "./sqlite-lock.ts";
import type { Tables } from "./tables.ts";
import { openWriteAheadLog, type SyncedFile, type WriteAheadLog } from "./write-ahead-log.ts";

/** 100 ms: SQLite waits for a lock by stopping the whole thread, so briefly; the rest is waited for asleep. */
const blockingWaitMs = 100;
const retryMs = 50;

type Options = {
  path: string;
  /** How long a transaction waits for another program's lock. 5 s: longer than an operator's own look takes. */
  lockedMaxMs?: number;
  /** How often to look whether another program has written. 500 ms: a look takes a few microseconds. */
  othersEveryMs?: number;
  onStorageChange?: OnStorageChange | undefined;
  /** For tests of the disk: how the write-ahead log is put on it. */
  openLog?: (path: string) => Promise<SyncedFile>;
};

const pragmas = [
  // Until the server serves. Then a commit is put on the disk beside the thread, before it is acknowledged.
  "synchronous = full",
  "foreign_keys = on",
  "temp_store = memory",
  // 32 MiB (negative: KiB) of pages for each of the two connections.
  "cache_size = -32768",
  // 64 MiB: what a burst leaves of the write-ahead log after its checkpoint.
  "journal_size_limit = 67108864",
  // 64 MiB of pages of 4 KiB: moving the log into the file stops the thread, so rather rarely; and the page that every
  // run writes again at each tick is then moved once instead of four times.
  "wal_autocheckpoint = 16384",
];

/**
 * Opens the database at `path`, a file, making and migrating it as needed; it is then this process's alone. One
 * connection writes, one transaction at a time; another reads and never waits for it.
 * Throws `DatabaseInUseError` and `SchemaVersionError`.
 */
export async function openSqlite({
  path,
  lockedMaxMs = 5_000,
  othersEveryMs = 500,
  onStorageChange,
  openLog,
}: Options): Promise<Database> {
  const release = holdDatabase(path);
  try {
    // Conversations are nobody else's to read; the log and its index take the file's mode.
    closeSync(openSync(path, "a", 0o600));
    return await connect({ path, lockedMaxMs, release, othersEveryMs, onStorageChange, openLog });
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Opens the database at `path` beside the server that may be running on it, for work that appends to no log.
 *
 * This is safe. SQLite's own locks hold between processes: with a write-ahead log nobody waits to read, writers take
 * turns, and either side repeats a transaction that finds the file locked. What a server believes to be its own alone
 * is kept in its memory: recent log entries and the subscribers. So a transaction here that appended to a log is undone
 * and throws `LogsAreElsewhereError`. Rows are read afresh by the server's next statement, and its subscribers are
 * notified within half a second. The schema is never changed beneath a server: where it is not this version's, the
 * database is opened as the server does, alone, to migrate it.
 *
 * Throws `DatabaseInUseError` where that cannot be, for a server of another version, and `SchemaVersionError`.
 */
export async function openSqliteBeside({ path, lockedMaxMs = 5_000 }: Options): Promise<Database> {
  const deadlineMs = performance.now() + lockedMaxMs;
  while (!(await isReady(path))) {
    try {
      await (await openSqlite({ path, lockedMaxMs })).close();
    } catch (error) {
      // A server that starts just now is making or migrating it.
      if (!(error instanceof DatabaseInUseError) || performance.now() > deadlineMs) throw error;
      await sleep(retryMs);
    }
  }
  return await connect({
    path,
    lockedMaxMs,
    release: () => {},
    othersEveryMs: undefined,
    onStorageChange: undefined,
    openLog: undefined,
  });
}

/** Whether the file is there and of this version's schema. Throws `SchemaVersionError`. */
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
  openLog: Options["openLog"];
} & Pick<Parts, "lockedMaxMs" | "release" | "othersEveryMs">;

async function connect(options: Connect): Promise<Database> {
  const { path, lockedMaxMs, release, othersEveryMs, onStorageChange, openLog } = options;
  const translate = (error: unknown): unknown => translateSqliteError(error, path);
  const opened: DatabaseSync[] = [];
  try {
    const writing = openFile(path, opened);
    const { journal_mode: mode } = writing.prepare("pragma journal_mode = wal").get() as {
      journal_mode: string;
    };
    if (mode !== "wal")
      throw new Error(`SQLite cannot keep a write-ahead log beside ${path}. Use a local disk.`);
    const one = new OneTransaction();
    const writer = new SqliteConnection(writing, translate);
    const write = new Kysely<Tables>({ dialect: new NodeSqliteDialect(writer, { transactions: true }) });
    if (othersEveryMs !== undefined) await migrate(write, "sqlite");

    const before = (): Promise<void> | undefined => {
      one.assertOutside();
      // Nobody may see what a power cut could still take away.
      return log.settled();
    };

    const reading = openFile(path, opened);
    reading.exec("pragma query_only = on");
    const reader = new SqliteConnection(reading, translate);
    const read = new Kysely<Tables>({
      dialect: new NodeSqliteDialect(reader, { before, transactions: false }),
      plugins: [new ReadOnlyPlugin()],
    });
    const workerConnection = new SqliteReadWorker(path, translate);
    const readWorker = new Kysely<Tables>({
      dialect: new NodeSqliteDialect(workerConnection, { before, transactions: false }),
      plugins: [new ReadOnlyPlugin()],
    });
    const log = await openWriteAheadLog(`${path}-wal`, translate, openLog);
    writing.exec("pragma synchronous = normal");
    const problem = createPlaceCheck({
      paths: [path, `${path}-wal`],
      folder: dirname(path),
      onChange: onStorageChange,
    });
    return database({
      problem,
      writer,
      write,
      reader,
      read,
      workerConnection,
      readWorker,
      one,
      log,
      release,
      lockedMaxMs,
      othersEveryMs,
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
  workerConnection: SqliteReadWorker;
  readWorker: Kysely<Tables>;
  one: OneTransaction;
  log: WriteAheadLog;
  release: () => void;
  lockedMaxMs: number;
  /** Absent beside a server: who stands there keeps nothing in memory that another's write could make untrue. */
  othersEveryMs: number | undefined;
};

function database(parts: Parts): Database {
  const { writer, write, reader, read, workerConnection, readWorker, one, log, release } = parts;
  const { lockedMaxMs, othersEveryMs, problem } = parts;
  const pubSub = createMemoryPubSub();
  const beside = othersEveryMs === undefined;
  const recentEntries = beside ? undefined : createRecentEntries();
  const unwatch = beside
    ? () => {}
    : watchOthers(writer, othersEveryMs, () => {
        recentEntries?.clear();
        pubSub.publishAll();
      });
  const writeLock = new Mutex();
  let closing: Promise<void> | undefined;

  /** Answers when the transaction is committed; what it answers settles when that is on the disk. */
  async function transact<T>(work: (tx: Tx) => Promise<T>): Promise<{ value: T; kept: Promise<void> }> {
    const publishOnCommit = new Set<string>();
    const appended: Appended[] = [];
    log.assertSound();
    const value = await write.transaction().execute(async (q) => {
      const tx: Tx = { engine: "sqlite", q, publishOnCommit, appended, atEnd: [] };
      const done = await one.run(() => workToItsEnd(tx, work));
      if (beside && appended.length > 0) throw new LogsAreElsewhereError();
      // Before the commit, so that nothing is kept of what is refused.
      const found = problem();
      if (found !== undefined) throw new StorageUnavailableError(found);
      return done;
    });
    const kept = log.kept(() => {
      recentEntries?.add(appended);
      pubSub.publish(publishOnCommit);
    });
    return { value, kept };
  }

  async function close(): Promise<void> {
    unwatch();
    await writeLock.run(async () => {
      await workerConnection.close();
      await log.close();
      reader.close();
      // The last to close writes the log back into the file.
      writer.close();
      release();
    });
  }

  async function inTurn<T>(line: "run" | "runFirst", work: (tx: Tx) => Promise<T>): Promise<T> {
    one.assertOutside();
    if (closing) throw new Error("The database is closed.");
    // The next transaction need not wait for the disk: what it reads of this one is kept before it is.
    const { value, kept } = await writeLock[line](() => whenUnlocked(lockedMaxMs, () => transact(work)));
    await kept;
    return value;
  }

  return {
    engine: "sqlite",
    read,
    readWorker,
    pubSub,
    recentEntries,
    problem,
    write: async (work) => await inTurn("run", work),
    writeFirst: async (work) => await inTurn("runFirst", work),
    close: () => (closing ??= close()),
  };
}

/**
 * Calls `changed` when another program has written to the file, an operator's command beside the server, until the
 * answered function is called. Notifications do not cross processes here, but SQLite counts such writes.
 */
function watchOthers(writer: SqliteConnection, everyMs: number, changed: () => void): () => void {
  let known = writer.othersWrites();
  const timer = setInterval(() => {
    const now = writer.othersWrites();
    if (now === known) return;
    known = now;
    changed();
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** Repeats `work` while another program holds the file's lock, which shows at a transaction's start. */
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
