import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import { createMemoryBell } from "../log/memory-bell.ts";
import { createTails, type Appended } from "../log/tails.ts";
import { StorageBusyError, workToItsEnd, type Database, type Tx } from "./database.ts";
import { migrate } from "./migrate.ts";
import { OneTransaction } from "./one-transaction.ts";
import { Queue } from "./queue.ts";
import { ReadOnlyPlugin } from "./read-only.ts";
import { SqliteAside } from "./sqlite-aside.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { NodeSqliteDialect } from "./sqlite-dialect.ts";
import { translateSqliteError } from "./sqlite-errors.ts";
import { holdDatabase } from "./sqlite-lock.ts";
import type { Tables } from "./tables.ts";

/** 100 ms: SQLite waits for a lock by stopping the whole thread, so briefly; the rest is waited for asleep. */
const blockingWaitMs = 100;
const retryMs = 50;

type Options = {
  path: string;
  /** How long a transaction waits for another program's lock. 5 s: longer than an operator's own look takes. */
  lockedMaxMs?: number;
  /** How often to look whether another program has written. 500 ms: a look takes a few microseconds. */
  othersEveryMs?: number;
};

const pragmas = [
  // A commit is on the disk when it is acknowledged, power cut or not.
  "synchronous = full",
  "foreign_keys = on",
  "temp_store = memory",
  // 32 MiB (negative: KiB) of pages for each of the two connections.
  "cache_size = -32768",
  // 64 MiB: what a burst leaves of the write-ahead log after its checkpoint.
  "journal_size_limit = 67108864",
];

/**
 * Opens the database at `path`, a file, making and migrating it as needed; it is then this process's alone. One
 * connection writes, one transaction at a time; another reads and never waits for it.
 * Throws `DatabaseInUseError` and `DatabaseTooNewError`.
 */
export async function openSqlite({
  path,
  lockedMaxMs = 5_000,
  othersEveryMs = 500,
}: Options): Promise<Database> {
  const release = holdDatabase(path);
  const translate = (error: unknown): unknown => translateSqliteError(error, path);
  const opened: DatabaseSync[] = [];
  try {
    // Conversations are nobody else's to read; the log and its index take the file's mode.
    closeSync(openSync(path, "a", 0o600));
    const writing = openFile(path, opened);
    const { journal_mode: mode } = writing.prepare("pragma journal_mode = wal").get() as {
      journal_mode: string;
    };
    if (mode !== "wal")
      throw new Error(`SQLite cannot keep a write-ahead log beside ${path}. Use a local disk.`);
    const one = new OneTransaction();
    const writer = new SqliteConnection(writing, translate);
    const write = new Kysely<Tables>({ dialect: new NodeSqliteDialect(writer, { transactions: true }) });
    await migrate(write, "sqlite");

    const reading = openFile(path, opened);
    reading.exec("pragma query_only = on");
    const reader = new SqliteConnection(reading, translate);
    const read = new Kysely<Tables>({
      dialect: new NodeSqliteDialect(reader, { before: () => one.assertOutside(), transactions: false }),
      plugins: [new ReadOnlyPlugin()],
    });
    const asideReader = new SqliteAside(path, translate);
    const aside = new Kysely<Tables>({
      dialect: new NodeSqliteDialect(asideReader, { before: () => one.assertOutside(), transactions: false }),
      plugins: [new ReadOnlyPlugin()],
    });
    return database({
      writer,
      write,
      reader,
      read,
      asideReader,
      aside,
      one,
      release,
      lockedMaxMs,
      othersEveryMs,
    });
  } catch (error) {
    for (const file of opened) file.close();
    release();
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
  writer: SqliteConnection;
  write: Kysely<Tables>;
  reader: SqliteConnection;
  read: Kysely<Tables>;
  asideReader: SqliteAside;
  aside: Kysely<Tables>;
  one: OneTransaction;
  release: () => void;
  lockedMaxMs: number;
  othersEveryMs: number;
};

function database(parts: Parts): Database {
  const { writer, write, reader, read, asideReader, aside, one, release, lockedMaxMs, othersEveryMs } = parts;
  const bell = createMemoryBell();
  const tails = createTails();
  const unwatch = watchOthers(writer, othersEveryMs, () => {
    tails.clear();
    bell.ringAll();
  });
  const queue = new Queue();
  let closing: Promise<void> | undefined;

  async function transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const rings = new Set<string>();
    const appended: Appended[] = [];
    const value = await write
      .transaction()
      .execute((q) => one.run(() => workToItsEnd({ engine: "sqlite", q, rings, appended, atEnd: [] }, work)));
    tails.keep(appended);
    bell.ring(rings);
    return value;
  }

  async function close(): Promise<void> {
    unwatch();
    await queue.run(async () => {
      await asideReader.close();
      reader.close();
      // The last to close writes the log back into the file.
      writer.close();
      release();
    });
  }

  return {
    engine: "sqlite",
    read,
    aside,
    bell,
    tails,
    async write(work) {
      one.assertOutside();
      if (closing) throw new Error("The database is closed.");
      return queue.run(() => whenUnlocked(lockedMaxMs, () => transact(work)));
    },
    close: () => (closing ??= close()),
  };
}

/**
 * Calls `changed` when another program has written to the file, an operator's command beside the server, until the
 * answered function is called. No bell reaches across processes here, but SQLite counts such writes.
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
      if (!(error instanceof StorageBusyError) || performance.now() > deadlineMs) throw error;
      await sleep(retryMs);
    }
  }
}
