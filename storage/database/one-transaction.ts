import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Notices a transaction's work that reaches past its own `tx`. A `write` inside a `write` would wait for itself on
 * SQLite, and a `read` would not see what the transaction did; on PostgreSQL both can empty the pool for each other.
 */
export class OneTransaction {
  readonly #inside = new AsyncLocalStorage<true>();

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#inside.run(true, work);
  }

  assertOutside(): void {
    if (this.#inside.getStore())
      throw new Error("A transaction's work may use the database through its tx only.");
  }
}
