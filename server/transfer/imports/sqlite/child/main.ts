import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { connectToParent } from "../../../../child-process/parent.ts";
import type { SqliteMessage, SqliteRow, SqliteTask } from "../sqlite-process-messages.ts";

/** The child process that reads the tables of a SQLite database which a person uploaded. */

/** Characters of rows in one message. The server sorts them in a few milliseconds, between which it does other work. */
const batchCharacters = 256 * 1024;

const parent = connectToParent<SqliteTask, SqliteMessage>((task) => {
  read(task).catch(
    async (error: unknown) => await parent.finish({ kind: "damaged", cause: String(error) }, true),
  );
});

async function read({ path, tables, rowBytesMax }: SqliteTask): Promise<void> {
  // The file does not change while it is read, so that SQLite needs neither locks nor files beside it.
  const url = pathToFileURL(path);
  url.searchParams.set("mode", "ro");
  url.searchParams.set("immutable", "1");
  const db = new DatabaseSync(url, { readOnly: true, enableForeignKeyConstraints: false });
  // Views and triggers of the file cannot call functions.
  db.exec("pragma trusted_schema = off; pragma query_only = on; pragma cell_size_check = on");
  for (const table of tables) await readTable(db, table, rowBytesMax);
  db.close();
  await parent.finish({ kind: "done" }, true);
}

async function readTable(db: DatabaseSync, table: string, rowBytesMax: number): Promise<void> {
  const isTable = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table);
  if (isTable === undefined) return;
  const columns = db
    .prepare("select name from pragma_table_info(?)")
    .all(table)
    .map(({ name }) => quoted(String(name)));
  const size = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
  const large = db
    .prepare(`select count(*) as count from ${quoted(table)} where ${size} > ?`)
    .get(rowBytesMax);
  const count = Number(large?.["count"] ?? 0);
  if (count > 0) await parent.send({ kind: "too-large", table, count });
  const statement = db.prepare(`select * from ${quoted(table)} where ${size} <= ?`);
  statement.setReadBigInts(true);
  let rows: SqliteRow[] = [];
  let characters = 0;
  for (const row of statement.iterate(rowBytesMax)) {
    const plain = plainOf(row);
    rows.push(plain);
    for (const value of Object.values(plain)) characters += typeof value === "string" ? value.length : 8;
    if (characters < batchCharacters) continue;
    await parent.send({ kind: "rows", table, rows });
    rows = [];
    characters = 0;
  }
  // Also of an empty table, so that the server knows it.
  await parent.send({ kind: "rows", table, rows });
}

/** Bytes are none of what is read. Numbers that JavaScript has no exact form of become the nearest. */
function plainOf(row: Record<string, unknown>): SqliteRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "bigint"
        ? Number(value)
        : typeof value === "string" || typeof value === "number"
          ? value
          : null,
    ]),
  );
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

await parent.ready();
