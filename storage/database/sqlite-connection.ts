import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";

/** 256 statements: a few times what all rooms together write. */
const statementsMax = 256;

type Prepared = { statement: StatementSync; answersRows: boolean };

/** One open SQLite file as the query builder sees it. */
export class SqliteConnection implements DatabaseConnection {
  readonly #file: DatabaseSync;
  readonly #translate: (error: unknown) => unknown;
  readonly #prepared = new Map<string, Prepared>();
  #inTransaction = false;
  #failure: { error: unknown } | undefined;

  constructor(file: DatabaseSync, translate: (error: unknown) => unknown) {
    this.#file = file;
    this.#translate = translate;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // SQLite would carry on, perhaps outside the transaction that it has rolled back itself; PostgreSQL refuses.
    if (this.#failure)
      throw new Error("An earlier statement of this transaction failed.", { cause: this.#failure.error });
    return this.#run(query.sql, query.parameters as SQLInputValue[]) as QueryResult<R>;
  }

  // oxlint-disable-next-line require-yield -- it always throws.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Read in pages: an open stream would keep this connection on an old snapshot.");
  }

  begin(): void {
    // From the start the only writer: nothing that was read here can have changed by the first write.
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
    // After some errors, a full disk among them, SQLite has already rolled back.
    if (this.#file.isTransaction) this.#run("rollback", []);
  }

  /** Changes whenever another connection has written, and never by this one; `undefined` where it cannot be read now. */
  othersWrites(): unknown {
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
      const { statement, answersRows } = this.#prepare(sql);
      if (answersRows) return { rows: statement.all(...parameters) };
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
      // To the end of the map's order, so that its first is the one unused for longest.
      this.#prepared.delete(sql);
      this.#prepared.set(sql, known);
      return known;
    }
    const statement = this.#file.prepare(sql);
    const prepared = { statement, answersRows: statement.columns().length > 0 };
    this.#prepared.set(sql, prepared);
    if (this.#prepared.size > statementsMax) {
      for (const oldest of this.#prepared.keys()) {
        this.#prepared.delete(oldest);
        break;
      }
    }
    return prepared;
  }
}
