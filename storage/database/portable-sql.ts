import { sql, type RawBuilder, type SelectQueryBuilder } from "kysely";
import type { Tx } from "./database.ts";

/** The few things engines disagree about. */

/**
 * Holds the rows of `query` until the transaction ends. On SQLite a transaction holds the only writer from its start,
 * so there is nothing to add.
 */
export function forUpdate<DB, TB extends keyof DB, O>(
  tx: Pick<Tx, "engine">,
  query: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return tx.engine === "postgres" ? query.forUpdate() : query;
}

/** The same, where rows that another transaction holds are none. */
export function forUpdateOfFree<DB, TB extends keyof DB, O>(
  tx: Pick<Tx, "engine">,
  query: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return tx.engine === "postgres" ? query.forUpdate().skipLocked() : query;
}

/** The texts of a list as rows of a subquery: `id in ${idsOf(tx, ids)}`, for any number of them. */
export function idsOf(tx: Pick<Tx, "engine">, ids: readonly string[]): RawBuilder<string> {
  return sql`(select value->>0 from ${eachOf(
    tx,
    ids.map((id) => [id]),
  )})`;
}

/** Makes other processes wait, until this transaction ends, before they do what is done under the same name. */
export async function alone(tx: Tx, name: string): Promise<void> {
  if (tx.engine === "postgres")
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx.q);
}

/** Whether `error` says that a unique index or a primary key already holds the value. Catch it around `write`. */
export function uniqueViolation(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  // PostgreSQL's unique_violation; SQLite's CONSTRAINT_PRIMARYKEY, _UNIQUE and _ROWID.
  return code === "23505" || errcode === 1555 || errcode === 2067 || errcode === 2579;
}

/**
 * The elements of a JSON list as rows of one column, `value`; its own elements are `value->>0`, `value->>1`. One
 * statement text for any number of rows: nothing to prepare anew, no limit of parameters.
 */
export function eachOf(tx: Pick<Tx, "engine">, list: unknown[]): RawBuilder<{ value: string }> {
  const json = JSON.stringify(list);
  return tx.engine === "postgres" ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`;
}
