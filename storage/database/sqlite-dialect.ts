import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
} from "kysely";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";
import { refuseTransaction } from "./read-only.ts";

/** A connection that the driver below can begin transactions on, or be refused by. */
export type SqliteUnderneath = DatabaseConnection & { begin(): void; commit(): void; rollback(): void };

export type SqliteUse = {
  /** Called, and waited for, before each statement outside a transaction, and before each transaction. */
  before?: () => Promise<void> | undefined;
  /** Whether there are transactions; who begins them takes care that there is one at a time. */
  transactions: boolean;
};

/** The query builder over one connection. */
export class NodeSqliteDialect implements Dialect {
  readonly #connection: SqliteUnderneath;
  readonly #use: SqliteUse;

  constructor(connection: SqliteUnderneath, use: SqliteUse) {
    this.#connection = connection;
    this.#use = use;
  }

  createDriver(): Driver {
    return new NodeSqliteDriver(this.#connection, this.#use);
  }

  createAdapter(): SqliteAdapter {
    return new NodeSqliteAdapter();
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

class NodeSqliteAdapter extends SqliteAdapter {
  /** Statements run to their end at once and transactions stand in our own queue: the builder need not line them up. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** SQLite rolls back tables as well as rows, so a migration that fails leaves nothing behind. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #connection: SqliteUnderneath;
  readonly #use: SqliteUse;

  constructor(connection: SqliteUnderneath, use: SqliteUse) {
    this.#connection = connection;
    this.#use = use;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const waiting = this.#use.before?.();
    if (waiting !== undefined) await waiting;
    await yieldToEventLoop();
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    if (!this.#use.transactions) refuseTransaction();
    this.#connection.begin();
  }

  async commitTransaction(): Promise<void> {
    this.#connection.commit();
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.rollback();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}
