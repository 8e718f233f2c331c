import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { ArchiveLine, Value } from "./archive.ts";
import { namesBefore } from "../migrations/renamed.ts";
import { withoutTemporary } from "./without-temporary.ts";
import { knownMigrations, NoDatabaseError, quoted, type Snapshot, type SnapshotOptions } from "./snapshot.ts";

/** A read-only transaction with a snapshot of the database at its start. */
export async function withSqliteSnapshot<T>(
  path: string,
  work: (snapshot: Snapshot) => Promise<T>,
  { tables: wanted }: SnapshotOptions,
): Promise<T> {
  if (!existsSync(path))
    throw new NoDatabaseError(`There is no database at ${path}. Set DATA_DIR to its folder.`);
  const file = new DatabaseSync(path, { timeout: 5_000 });
  try {
    file.exec("pragma query_only = on; pragma temp_store = memory; begin");
    const has = (name: string): boolean =>
      file.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined;
    const names = has("migrations")
      ? file
          .prepare("select name from migrations")
          .all()
          .map((row) => String(row.name))
      : [];
    const tables = wanted.map(namesBefore(names).formerTable).filter(has);
    return await work({
      engine: "sqlite",
      migrations: knownMigrations(names, path),
      tables: sqliteRows(file, tables),
      rows: (statement) => Promise.resolve(file.prepare(statement).all()),
    });
  } finally {
    file.close();
  }
}

async function* sqliteRows(file: DatabaseSync, tables: string[]): AsyncGenerator<ArchiveLine> {
  for (const name of tables) {
    const columns = file
      .prepare("select name from pragma_table_xinfo(?) where hidden = 0 order by cid")
      .all(name)
      .map((column) => String(column.name));
    yield { type: "table", name, columns };
    const list = columns.map(quoted).join(", ");
    const rows = file.prepare(`select ${list} from ${quoted(name)}${withoutTemporary(name)}`);
    rows.setReturnArrays(true);
    for (const values of rows.iterate()) yield { type: "row", values: values as unknown as Value[] };
  }
}
