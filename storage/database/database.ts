import type { Kysely } from "kysely";
import type { StorageProblem } from "../in-place.ts";
import type { PubSub } from "../pub-sub/pub-sub.ts";
import type { Engine } from "../engine.ts";
import type { Appended } from "../log-entry.ts";
import type { RecentEntries } from "./recent-entries.ts";
import type { Tables } from "./tables.ts";

/**
 * One database, whichever engine. Everything above `storage/` speaks to this and never asks which it is, except
 * through the few functions of `portable-sql.ts`.
 */
export type Database = {
  readonly engine: Engine;
  /**
   * For reads outside a transaction. A read that starts after a write was acknowledged sees it. Several statements
   * are several moments: what must agree is read by one statement, or in a `write`. Throws `StorageBusyError`.
   */
  readonly read: Kysely<Tables>;
  /** The same for slow reads such as searches. On SQLite they run in a worker thread and do not block the event loop. */
  readonly readWorker: Kysely<Tables>;
  /** Notifications across all processes of this database. */
  readonly pubSub: PubSub;
  /** The newest log entries; undefined if other processes also write to this database. */
  readonly recentEntries: RecentEntries | undefined;
  /**
   * Runs `work` in one transaction and answers what it answers. The topics in `tx.publishOnCommit` are
   * published after the commit, never before. `work` awaits nothing but SQL through `tx.q`: it must not touch the network, timers,
   * `read` or `write` (the last two throw). A transaction that the engine asks to repeat (serialization, deadlock,
   * busy) or whose connection broke is repeated a few times, so `work` may run more than once.
   *
   * A statement that fails spoils its transaction on every engine: let the error out of `work` and catch it around
   * `write`, or use `on conflict`.
   *
   * Throws `StorageFullError` and `StorageBusyError` for a full disk and a database that stays locked or away, and
   * `StorageUnavailableError` where a commit would be lost.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The same before all that wait, where transactions stand in a line (SQLite): for what somebody is reading along.
   */
  writeFirst<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Why writes are refused now, if they are. Only SQLite's file can be missing, replaced or read-only. */
  problem(): StorageProblem | undefined;
  /** Waits for the transactions under way. Abort followers first. */
  close(): Promise<void>;
};

/** A transaction under way. */
export type Tx = {
  readonly engine: Engine;
  readonly q: Kysely<Tables>;
  /** Topics to publish after the commit. */
  readonly publishOnCommit: Set<string>;
  /** What was appended to logs so far. */
  readonly appended: Appended[];
  /** What is still to be done when `work` has ended, in the same transaction: what several callers gathered for one. */
  readonly atEnd: (() => Promise<void>)[];
};

/** Runs `work` and then what it left for the end. Engines call this inside their transaction. */
export async function workToItsEnd<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  const value = await work(tx);
  for (const deed of tx.atEnd) await deed();
  return value;
}

/**
 * A transaction beside a server on SQLite appended to a log that the server keeps in its memory too; nothing of it was
 * kept. What appends is done by the server, or while it is stopped.
 */
export class LogsAreElsewhereError extends Error {
  override readonly name = "LogsAreElsewhereError";
  constructor() {
    super("A database that is opened beside its server takes nothing for the logs. Open it alone for that.");
  }
}
