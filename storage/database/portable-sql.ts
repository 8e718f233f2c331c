import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import type { Tx } from "./database.ts";

/** SQL that differs between the engines. */

/**
 * Locks the rows of `query` until the transaction ends. On SQLite a transaction is the only writer from its start, so
 * there is nothing to lock.
 */
export function forUpdate<DB, TB extends keyof DB, O>(
  tx: Pick<Tx, "engine">,
  query: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return tx.engine === "postgres" ? query.forUpdate() : query;
}

/** Like `forUpdate`, but leaves out rows that another transaction has locked. */
export function forUpdateSkipLocked<DB, TB extends keyof DB, O>(
  tx: Pick<Tx, "engine">,
  query: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return tx.engine === "postgres" ? query.forUpdate().skipLocked() : query;
}

/** A list of any length as rows of a subquery: `id in ${idsOf(tx, ids)}`. */
export function idsOf(tx: Pick<Tx, "engine">, ids: readonly string[]): RawBuilder<string> {
  return sql`(select value->>0 from ${jsonElements(
    tx,
    ids.map((id) => [id]),
  )})`;
}

/**
 * Whether `column` is one of `ids`. Unlike `idsOf`, it looks each id up in the column's index on PostgreSQL whatever the
 * planner knows about the table: for lists of hundreds that are used many times a second.
 */
export function isOneOf(tx: Pick<Tx, "engine">, column: string, ids: readonly string[]): RawBuilder<SqlBool> {
  if (tx.engine === "postgres") return sql`${sql.ref(column)} = any(cast(${ids} as text[]))`;
  return sql`${sql.ref(column)} in ${idsOf(tx, ids)}`;
}

/** Locks `name` until this transaction ends; other transactions that lock the same name wait. */
export async function lockByName(tx: Tx, name: string): Promise<void> {
  if (tx.engine === "postgres")
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx.q);
}

/** Whether `error` says that a unique index or primary key already has the value. Catch it around `write`. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  // PostgreSQL's unique_violation; SQLite's CONSTRAINT_PRIMARYKEY, _UNIQUE and _ROWID.
  return code === "23505" || errcode === 1555 || errcode === 2067 || errcode === 2579;
}

/**
 * The elements of a JSON list as rows of one column, `value`; if they are lists, their elements are `value->>0`,
 * `value->>1`. The SQL is the same for any number of rows, so it is prepared once and no limit of parameters applies.
 */
export function jsonElements(tx: Pick<Tx, "engine">, list: unknown[]): RawBuilder<{ value: string }> {
  const json = JSON.stringify(list);
  return tx.engine === "postgres" ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`;
}
