import {
  PostgresDialect,
  PostgresDriver,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type PostgresDialectConfig,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import { translatePostgresError } from "./postgres-errors.ts";
import { refuseTransaction } from "./read-only.ts";

export type PostgresUse = {
  /** Called before each statement outside a transaction, and before each transaction. */
  before?: () => void;
  transactions: boolean;
};

/** The query builder's own dialect, with its errors translated. */
export class TranslatingPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;
  readonly #use: PostgresUse;

  constructor(config: PostgresDialectConfig, use: PostgresUse) {
    super(config);
    this.#config = config;
    this.#use = use;
  }

  override createDriver(): Driver {
    return new TranslatingPostgresDriver(this.#config, this.#use);
  }
}

class TranslatingPostgresDriver extends PostgresDriver {
  readonly #use: PostgresUse;
  readonly #translating = new WeakSet<DatabaseConnection>();

  constructor(config: PostgresDialectConfig, use: PostgresUse) {
    super(config);
    this.#use = use;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#use.before?.();
    const connection = await translated(super.acquireConnection());
    if (!this.#translating.has(connection)) {
      this.#translating.add(connection);
      // In place, because the driver knows its connections by what they are.
      const executeQuery = connection.executeQuery.bind(connection);
      connection.executeQuery = <R>(query: CompiledQuery): Promise<QueryResult<R>> =>
        translated(executeQuery<R>(query));
    }
    return connection;
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    if (!this.#use.transactions) refuseTransaction();
    await super.beginTransaction(connection, settings);
  }
}

async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translatePostgresError(error);
  }
}
