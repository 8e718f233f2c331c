import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Engine } from "../database/database.ts";
import { checkMigrations } from "../migrations/migrate.ts";
import type { ArchiveLine, Value } from "./archive.ts";
import { keptTables } from "./kept-tables.ts";

/** Where a database is. */
export type BackupPlace = { databaseUrl: string | undefined; dataDir: string };

/** Everything that a database holds as of one moment, read while others go on writing. */
export type Snapshot = {
  engine: Engine;
  /** The migrations of its schema, in their order. */
  migrations: string[];
  /** Every table that a backup keeps, each followed by its rows. To be read once. */
  tables: AsyncIterable<ArchiveLine>;
  /** Any other look at the same moment. */
  rows(statement: string): Promise<Record<string, unknown>[]>;
};

/** There is no database to copy. */
export class NoDatabaseError extends Error {
  override readonly name = "NoDatabaseError";
}

/** Opens a snapshot for `work`, which holds it as long as it runs. Throws `NoDatabaseError`, `SchemaVersionError`. */
export async function withSnapshot<T>(
  place: BackupPlace,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  if (place.databaseUrl === undefined) return await withSqliteSnapshot(sqlitePath(place), work);
  const { withPostgresSnapshot } = await import("./postgres-snapshot.ts");
  return await withPostgresSnapshot(place.databaseUrl, work);
}

export function sqlitePath({ dataDir }: BackupPlace): string {
  return join(dataDir, "parlance.db");
}

/** Names as a snapshot found them. Throws where the database is newer than this program, or holds nothing of ours. */
export function knownMigrations(names: string[], where: string): string[] {
  if (names.length === 0) throw new NoDatabaseError(`There is nothing of Parlance in ${where}.`);
  checkMigrations(names, `${where} was last used`);
  return names.toSorted();
}

async function withSqliteSnapshot<T>(path: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
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
    const tables = keptTables.filter(has);
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
    const rows = file.prepare(`select ${columns.map(quoted).join(", ")} from ${quoted(name)}`);
    rows.setReturnArrays(true);
    for (const values of rows.iterate()) yield { type: "row", values: values as unknown as Value[] };
  }
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
