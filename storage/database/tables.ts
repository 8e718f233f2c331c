import type { Insertable, Selectable, Updateable } from "kysely";
import type { Column } from "../schema/column.ts";
import type { tables } from "../tables/tables.ts";

type Definition = (typeof tables)[number];

/**
 * The columns of every table. Ids and texts are text that compares bytewise on both engines; times are milliseconds since
 * 1970 as integers; booleans are 1 and 0; JSON is text, so that NUL and lone surrogates survive as escapes.
 */
export type Tables = { [Each in Definition as Each["name"]]: ColumnTypes<Each["columns"]> };

type ColumnTypes<C> = { [Name in keyof C]: C[Name] extends Column<infer T> ? T : never };

export type Row<T extends keyof Tables> = Selectable<Tables[T]>;
export type NewRow<T extends keyof Tables> = Insertable<Tables[T]>;
export type RowChange<T extends keyof Tables> = Updateable<Tables[T]>;
