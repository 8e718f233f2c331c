import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Detects work of a transaction that uses the database directly. On SQLite a `write` inside a `write` would wait for
 * itself, and a `read` would not see the transaction's changes. On PostgreSQL both can deadlock on the connection pool.
 */
export class TransactionGuard {
  readonly #inside = new AsyncLocalStorage<true>();

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#inside.run(true, work);
  }

  assertOutside(): void {
    if (this.#inside.getStore())
      throw new Error("A transaction's work may use the database through its tx only.");
  }
}
