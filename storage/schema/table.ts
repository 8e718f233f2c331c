import type { Engine } from "../lib/engine.ts";
import type { Column } from "./column.ts";

/**
 * The columns of an index in their order, such as `user_id, created_at desc`. `where`: only rows that meet this condition
 * are in it.
 */
export type Index = string | { on: string | Record<Engine, string>; isUnique?: true; where?: string };

/** A table on both engines. `storage/tables/tables.ts` lists all. */
export type Table<C = Record<string, Column<unknown>>> = {
  /** The migration that creates it in existing databases, such as `0056-jobs`. None: it is as old as the first migration. */
  since?: string;
  columns: C;
  /** Rules about several columns, such as `primary key (thread_id, user_id)`. */
  constraints?: readonly string[];
  /** By name. */
  indexes?: Readonly<Record<string, Index>>;
  /** For small rows that are read by their primary key: SQLite stores them in its index. */
  withoutRowid?: true;
  /** How full PostgreSQL makes a page, in percent. In the rest, a row can change without a new entry in every index. */
  fillFactor?: number;
  /** Statements that create what else belongs to the table. */
  more?: Record<Engine, readonly string[]>;
  /** Statements that create triggers, and on PostgreSQL their functions. They may name any table. */
  triggers?: Record<Engine, readonly string[]>;
  /**
   * Whether a backup contains the rows, or they are rebuilt from other tables, or are secret: those are only in
   * encrypted backups, and are entered again after the restore of another one.
   */
  backup: "in backup" | "rebuilt" | "secret";
};

/** Describes a table. The names and types of its columns are known to the compiler. */
export function table<const Name extends string, C extends Record<string, Column<unknown>>>(
  name: Name,
  description: Table<C>,
): Table<C> & { name: Name } {
  return { name, ...description };
}
