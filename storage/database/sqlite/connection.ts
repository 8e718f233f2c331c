import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";

/** 256 statements: a few times as many as the server has. */
const statementsMax = 256;

type Prepared = { statement: StatementSync; returnsRows: boolean };

/** An open SQLite file as a connection of the query builder. */
export class SqliteConnection implements DatabaseConnection {
  readonly #file: DatabaseSync;
  readonly #translate: (error: unknown) => unknown;
  /** Ordered by last use. */
  readonly #prepared = new Map<string, Prepared>();
  #inTransaction = false;
  #failure: { error: unknown } | undefined;

  constructor(file: DatabaseSync, translate: (error: unknown) => unknown) {
    this.#file = file;
    this.#translate = translate;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // As PostgreSQL does. SQLite would continue, perhaps outside a transaction that it has already rolled back.
    if (this.#failure)
      throw new Error("An earlier statement of this transaction failed.", { cause: this.#failure.error });
    return this.#run(query.sql, query.parameters as SQLInputValue[]) as QueryResult<R>;
  }

  // oxlint-disable-next-line require-yield -- it always throws.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Read in pages: an open stream would keep this connection on an old snapshot.");
  }

  begin(): void {
    // Immediate: it takes the write lock now, so nothing that it reads can change before its first write.
    this.#run("begin immediate", []);
    this.#inTransaction = true;
    this.#failure = undefined;
  }

  commit(): void {
    if (this.#failure) throw this.#failure.error;
    this.#run("commit", []);
    this.#inTransaction = false;
  }

  rollback(): void {
    this.#inTransaction = false;
    this.#failure = undefined;
    // After some errors, such as a full disk, SQLite has already rolled back.
    if (this.#file.isTransaction) this.#run("rollback", []);
  }

  /**
   * A value that changes after another connection has written, but not after this one has; undefined if it cannot be
   * read.
   */
  dataVersion(): unknown {
    try {
      return this.#prepare("pragma data_version").statement.get()?.data_version;
    } catch {
      return undefined;
    }
  }

  close(): void {
    this.#prepared.clear();
    this.#file.close();
  }

  #run(sql: string, parameters: SQLInputValue[]): QueryResult<unknown> {
    try {
      const { statement, returnsRows } = this.#prepare(sql);
      if (returnsRows) return { rows: statement.all(...parameters) };
      const { changes } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes) };
    } catch (error) {
      const translated = this.#translate(error);
      if (this.#inTransaction) this.#failure ??= { error: translated };
      throw translated;
    }
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) {
      // Moves it to the end of the map's order.
      this.#prepared.delete(sql);
      this.#prepared.set(sql, known);
      return known;
    }
    const statement = this.#file.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#prepared.set(sql, prepared);
    if (this.#prepared.size > statementsMax) {
      for (const leastRecentlyUsed of this.#prepared.keys()) {
        this.#prepared.delete(leastRecentlyUsed);
        break;
      }
    }
    return prepared;
  }
}
