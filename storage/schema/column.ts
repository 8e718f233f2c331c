import type { Generated } from "kysely";
import type { Engine } from "../lib/engine.ts";

type Type = "text" | "integer" | "bigint" | "real" | "bytes";
type OnDelete = "cascade" | "set null" | "restrict";

const sqlTypes: Record<Engine, Record<Type, string>> = {
  sqlite: { text: "text", integer: "integer", bigint: "integer", real: "real", bytes: "blob" },
  postgres: {
    // Bytewise comparison on both engines, whatever the locale of the PostgreSQL server is.
    text: `text collate "C"`,
    integer: "integer",
    bigint: "bigint",
    real: "double precision",
    bytes: "bytea",
  },
};

/** A column that cannot be null, unless it says so. `T` is what rows have in it. */
export class Column<T> {
  /** Only a type. */
  declare readonly row: T;
  readonly #type: Type;
  readonly #isNullable: boolean;
  readonly #rules: readonly string[];

  constructor(type: Type, isNullable = false, rules: readonly string[] = []) {
    this.#type = type;
    this.#isNullable = isNullable;
    this.#rules = rules;
  }

  nullable(): Column<T | null> {
    return new Column(this.#type, true, this.#rules);
  }

  /** Rows may be inserted without it. */
  default(value: T & (string | number)): Column<Generated<T>> {
    return this.#with(`default ${typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : value}`);
  }

  /** A key of several columns is one of the table's `constraints`. */
  primaryKey(): Column<T> {
    return this.#with("primary key");
  }

  unique(): Column<T> {
    return this.#with("unique");
  }

  /** A foreign key. Without `onDelete`, a row cannot be deleted while another one refers to it. */
  references(table: string, onDelete: OnDelete = "restrict", column = "id"): Column<T> {
    const rule = onDelete === "restrict" ? "" : ` on delete ${onDelete}`;
    return this.#with(`references ${table} (${column})${rule}`);
  }

  /** What follows the column's name in `create table` and `add column`. */
  sql(engine: Engine): string {
    const nullability = this.#isNullable ? [] : ["not null"];
    return [sqlTypes[engine][this.#type], ...nullability, ...this.#rules].join(" ");
  }

  #with<U>(rule: string): Column<U> {
    return new Column(this.#type, this.#isNullable, [...this.#rules, rule]);
  }
}

/** `text<"a" | "b">()` is a column with only these values. The database does not check them. */
export const text = <T extends string = string>() => new Column<T>("text");
/** Up to 2³¹; for small numbers, and 1 or 0. */
export const integer = () => new Column<number>("integer");
/** For times in milliseconds, and sums. */
export const bigint = () => new Column<number>("bigint");
export const real = () => new Column<number>("real");
export const bytes = () => new Column<Uint8Array>("bytes");
