import type { Kysely } from "kysely";
import type { StorageProblem } from "../lib/storage-path-check.ts";
import type { Engine } from "../lib/engine.ts";
import type { Appended } from "../lib/log-entry.ts";
import type { PubSub } from "../pub-sub/pub-sub.ts";
import type { RecentEntries } from "./recent-entries.ts";
import type { Tables } from "./tables.ts";

/**
 * A database of either engine. Code outside `storage/` uses this and does not ask which engine it is, except through the
 * functions of `portable-sql.ts`.
 */
export type Database = {
  readonly engine: Engine;
  /** Names this process in the database, such as in leases. No other process ever has this name. */
  readonly processName: string;
  /**
   * For reads outside a transaction. A read that starts after a write was acknowledged sees that write. Each statement
   * sees its own snapshot, so read what must be consistent in one statement or in `write`. Throws `StorageBusyError`.
   */
  readonly read: Kysely<Tables>;
  /**
   * Like `read`, for slow reads such as searches. On SQLite they run in a worker thread and do not block the event
   * loop.
   */
  readonly readWorker: Kysely<Tables>;
  /** Notifications across all processes of this database. */
  readonly pubSub: PubSub;
  /** The newest log entries; undefined if other processes also write to this database. */
  readonly recentEntries: RecentEntries | undefined;
  /**
   * Runs `work` in one transaction and returns its result. The topics in `tx.publishOnCommit` are published after the
   * commit, never before. `work` awaits nothing but SQL through `tx.q`: no network, no timers, and neither `read` nor
   * `write`, which throw. A transaction that the engine asks to repeat (serialization, deadlock, busy) or whose
   * connection broke is repeated a few times, so `work` may run more than once.
   *
   * A statement that fails aborts its transaction on every engine: let the error leave `work` and catch it around
   * `write`, or use `on conflict`.
   *
   * Throws `StorageFullError` if the disk is full, and `StorageBusyError` if the database stays locked or unreachable,
   * and `StorageUnavailableError` if the file is missing, replaced or read-only.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Like `write`, but ahead of all waiting `write` calls: first in the queue on SQLite, which runs one transaction at a
   * time, and on a connection of its own on PostgreSQL. For output that is read live.
   */
  writeFirst<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Why writes are refused at present; `undefined` if they are not. Only SQLite's file can be missing, replaced or
   * read-only.
   */
  problem(): StorageProblem | undefined;
  /**
   * Which of these processes have certainly ended. Of others it is unknown: those on PostgreSQL of older versions, behind a
   * pooler, or on a machine that PostgreSQL waits for. Takes a second if a process seems to have ended.
   */
  findEndedProcesses(names: readonly string[]): Promise<ReadonlySet<string>>;
  /** Waits for the running transactions. Abort followers first. */
  close(): Promise<void>;
};

/** A running transaction. */
export type Tx = {
  readonly engine: Engine;
  readonly q: Kysely<Tables>;
  /** Topics to publish after the commit. */
  readonly publishOnCommit: Set<string>;
  readonly appended: Appended[];
  /** Called in the same transaction after `work`: for writes that several callers collect. */
  readonly beforeCommit: (() => Promise<void>)[];
};

/** Runs `work` and then its `beforeCommit` functions. Engines call this inside their transaction. */
export async function runWork<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  const value = await work(tx);
  for (const callback of tx.beforeCommit) await callback();
  return value;
}
