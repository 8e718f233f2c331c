import type { Engine } from "../lib/engine.ts";
import type { Table } from "./table.ts";

/** The statements that create a table with its indexes, but not its triggers: they may name tables that come later. */
export function tableSql(table: Table & { name: string }, engine: Engine): string[] {
  const { name, columns, constraints = [], indexes = {}, more } = table;
  const lines = [
    ...Object.entries(columns).map(([column, each]) => `${column} ${each.sql(engine)}`),
    ...constraints,
  ];
  return [
    `create table ${name} (\n  ${lines.join(",\n  ")}\n)${tableEnd(table, engine)}`,
    ...Object.keys(indexes).map((index) => indexSql(table, index, engine)),
    ...(more?.[engine] ?? []),
  ];
}

function tableEnd({ withoutRowid, fillFactor }: Table, engine: Engine): string {
  if (engine === "postgres") return fillFactor === undefined ? "" : ` with (fillfactor = ${fillFactor})`;
  // Without `strict`, SQLite stores values of any type in any column.
  return withoutRowid === true ? " strict, without rowid" : " strict";
}

/** The statement that creates the index with this name. */
export function indexSql(table: Table & { name: string }, index: string, engine: Engine): string {
  const described = table.indexes?.[index];
  if (described === undefined) throw new Error(`${table.name} has no index ${index}.`);
  const { on, isUnique, where } = typeof described === "string" ? { on: described } : described;
  const columns = typeof on === "string" ? on : on[engine];
  return (
    `create ${isUnique === true ? "unique " : ""}index if not exists ${index} on ${table.name} (${columns})` +
    (where === undefined ? "" : ` where ${where}`)
  );
}
