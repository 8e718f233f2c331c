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
import { isOutdatedPlan, translatePostgresError } from "./errors.ts";
import type { PreparedStatements } from "./prepared-statements.ts";
import { refuseTransaction } from "../read-only.ts";

export type DriverOptions = {
  /** Called before each transaction, and before each statement outside a transaction. */
  before?: () => void;
  transactions: boolean;
  /** Undefined: nothing is prepared. */
  statements?: PreparedStatements | undefined;
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
        translated(this.#prepared(executeQuery<R>, query));
    }
    return connection;
  }

  async #prepared<R>(
    executeQuery: (query: CompiledQuery) => Promise<QueryResult<R>>,
    query: CompiledQuery,
  ): Promise<QueryResult<R>> {
    const { statements, transactions } = this.#options;
    const name = query.parameters.length === 0 ? undefined : statements?.nameOf(query.sql);
    if (name === undefined) return await executeQuery(query);
    // The builder passes the text on to the client, which takes a name with it.
    const named = { name, text: query.sql } as unknown as string;
    try {
      return await executeQuery({ ...query, sql: named });
    } catch (error) {
      if (!isOutdatedPlan(error)) throw error;
      statements?.forget();
      // A transaction is aborted now, and is repeated as a whole.
      if (transactions) throw error;
      return await executeQuery(query);
    }
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
