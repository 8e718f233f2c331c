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
import { translatePostgresError } from "./errors.ts";
import { refuseTransaction } from "../read-only.ts";

export type DriverOptions = {
  /** Called before each transaction, and before each statement outside a transaction. */
  before?: () => void;
  transactions: boolean;
};

/** The query builder's own dialect with translated errors. */
export class TranslatingPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;
  readonly #options: DriverOptions;

  constructor(config: PostgresDialectConfig, options: DriverOptions) {
    super(config);
    this.#config = config;
    this.#options = options;
  }

  override createDriver(): Driver {
    return new TranslatingPostgresDriver(this.#config, this.#options);
  }
}

class TranslatingPostgresDriver extends PostgresDriver {
  readonly #options: DriverOptions;
  readonly #translating = new WeakSet<DatabaseConnection>();

  constructor(config: PostgresDialectConfig, options: DriverOptions) {
    super(config);
    this.#options = options;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#options.before?.();
    const connection = await translated(super.acquireConnection());
    if (!this.#translating.has(connection)) {
      this.#translating.add(connection);
      // Patched in place, because the driver identifies its connections by object.
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
    if (!this.#options.transactions) refuseTransaction();
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
