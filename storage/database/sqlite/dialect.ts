import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
} from "kysely";
import { refuseTransaction } from "../read-only.ts";
import { setImmediate } from "node:timers";

/** A connection that can begin transactions, or refuses to. */
type TransactionalConnection = DatabaseConnection & {
  begin(): void;
  commit(): void;
  rollback(): void;
};

type DriverOptions = {
  /** Called and awaited before each transaction, and before each statement outside a transaction. */
  before?: () => Promise<void> | undefined;
  /** Whether it allows transactions. The caller makes sure that there is one at a time. */
  transactions: boolean;
};

/** Makes the query builder use one connection. */
export class NodeSqliteDialect implements Dialect {
  readonly #connection: TransactionalConnection;
  readonly #options: DriverOptions;

  constructor(connection: TransactionalConnection, options: DriverOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  createDriver(): Driver {
    return new NodeSqliteDriver(this.#connection, this.#options);
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
  /** The query builder need not queue: statements are synchronous, and a mutex orders the transactions. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** SQLite rolls back schema changes too, so a failed migration changes nothing. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #connection: TransactionalConnection;
  readonly #options: DriverOptions;

  constructor(connection: TransactionalConnection, options: DriverOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const waiting = this.#options.before?.();
    if (waiting !== undefined) await waiting;
    await yieldToEventLoop();
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    if (!this.#options.transactions) refuseTransaction();
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

/** 5 ms: a tenth of a delay that a person notices in a stream, and enough for dozens of statements. */
const turnMaxMs = 5;

let turnStartedMs: number | undefined;

/**
 * SQLite answers synchronously, so a chain of awaited statements would keep timers and sockets waiting. Awaited between
 * statements, this yields to the event loop once its turn has lasted too long.
 */
function yieldToEventLoop(): Promise<void> | undefined {
  if (turnStartedMs === undefined) {
    turnStartedMs = performance.now();
    setImmediate(() => (turnStartedMs = undefined));
    return undefined;
  }
  return performance.now() - turnStartedMs < turnMaxMs
    ? undefined
    : new Promise((resolve) => setImmediate(resolve));
}
