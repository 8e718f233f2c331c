import { CompiledQuery, sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { createMigrated, runPending } from "../migrations/migrate.ts";
import { namesBefore } from "../migrations/renamed.ts";
import type { Tables } from "../database/tables.ts";
import { textBytes } from "../database/text-bytes.ts";
import { readPieces, type PutBlob } from "./blob-lines.ts";
import { readArchive, type ArchiveLine, type ArchiveSource, type Contents, type Value } from "./archive.ts";
import { quoted, type BackupPlace } from "./snapshot.ts";

/** The database has data that a restore would replace. */
export class NotEmptyError extends Error {
  override readonly name = "NotEmptyError";
}

/** A small file that belongs to the database: the secret. */
export type BackupFile = { name: string; text: string };

export type RestoreOptions = {
  place: BackupPlace;
  /** The archive, which is read twice. */
  source: ArchiveSource;
  /** Whether existing data may be replaced. */
  replace: boolean;
  /** Stores attached files, before the commit. If absent, they are skipped. */
  putBlob?: PutBlob;
  /** Called for each line that was checked, before anything is restored. */
  onCheckedLine?: (line: ArchiveLine) => void;
  /** Called for each line that was restored. */
  onLine?: (line: ArchiveLine) => void;
  /** Called after all rows are inserted, before the commit. If it throws, nothing is restored. */
  beforeCommit(files: BackupFile[]): Promise<void>;
};

/**
 * Creates the tables of this version, inserts the rows and migrates these, in a transaction on an empty schema. Returns the
 * archive's files.
 */
export async function insertBackup(
  q: Kysely<Tables>,
  engine: Engine,
  { source, putBlob, onLine }: RestoreOptions,
  contents: Contents,
): Promise<BackupFile[]> {
  const { presentTable, presentColumn } = namesBefore(contents.head.migrations);
  await createMigrated(q, engine);
  // Foreign keys are added again at the end, because the order of a table's rows may violate them.
  const foreignKeys = engine === "postgres" ? await dropForeignKeys(q) : [];
  const files: BackupFile[] = [];
  let insert = createInserter(q, engine, "", []);
  const lines = readArchive(source);
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    const line = next.value;
    onLine?.(line);
    if (line.type === "row") await insert.add(line.values);
    else if (line.type === "blob")
      await putBlob?.(line.key, line.sizeBytes, readPieces(lines, line.sizeBytes));
    else {
      await insert.flush();
      if (line.type === "table")
        insert = createInserter(q, engine, presentTable(line.name), line.columns.map(presentColumn));
      if (line.type === "file") files.push({ name: line.name, text: line.text });
    }
  }
  await insert.flush();
  for (const { table, name, definition } of foreignKeys)
    await sql`alter table ${sql.raw(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(
      q,
    );
  for (const [table, expected] of Object.entries(contents.rows))
    await checkCount(q, presentTable(table), expected);
  await runPending(q, engine, contents.head.migrations);
  // The triggers added the messages to the sizes in the archive, which already include them.
  await sql`update threads set text_bytes = ${sql.raw(textBytes)}`.execute(q);
  return files;
}

/** Whether the database has data of people. A server that was started once has only its owner. */
export async function hasData(q: Kysely<Tables>, tables: string[]): Promise<boolean> {
  const count = async (table: "threads" | "users"): Promise<number> => {
    if (!tables.includes(table)) return 0;
    const rows = q.selectFrom(table).select((row) => row.fn.countAll<number>().as("count"));
    return (await rows.executeTakeFirstOrThrow()).count;
  };
  return (await count("threads")) > 0 || (await count("users")) > 1;
}

export function refuseNotEmpty(where: string): never {
  throw new NotEmptyError(
    `${where} has threads or people already. Restore into an empty one, or use --replace to replace all of it.`,
  );
}

type ForeignKey = { table: string; name: string; definition: string };

async function dropForeignKeys(q: Kysely<Tables>): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace
  `.execute(q);
  for (const { table, name } of rows)
    await sql`alter table ${sql.raw(table)} drop constraint ${sql.ref(name)}`.execute(q);
  return rows;
}

async function checkCount(q: Kysely<Tables>, table: string, expected: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(q);
  if (Number(rows[0]?.count) !== expected)
    throw new Error(`The table ${table} has ${rows[0]?.count} rows instead of ${expected}.`);
}

/** The limits of one insert statement. SQLite accepts 32,766 values. */
const valuesPerInsert = 4_000;
const charactersPerInsert = 1024 * 1024;

function createInserter(q: Kysely<Tables>, engine: Engine, table: string, columns: string[]) {
  let values: Value[] = [];
  let characters = 0;
  const full = Math.max(1, Math.floor(valuesPerInsert / Math.max(1, columns.length)));
  let text = { rows: 0, sql: "" };

  function statementFor(rows: number): string {
    if (text.rows === rows) return text.sql;
    let parameter = 0;
    const row = (): string =>
      `(${columns.map(() => (engine === "postgres" ? `$${++parameter}` : "?")).join(", ")})`;
    const list = Array.from({ length: rows }, row).join(", ");
    text = { rows, sql: `insert into ${quoted(table)} (${columns.map(quoted).join(", ")}) values ${list}` };
    return text.sql;
  }

  async function flush(): Promise<void> {
    const rows = values.length / Math.max(1, columns.length);
    if (rows === 0) return;
    const taken = values;
    values = [];
    characters = 0;
    await q.executeQuery(CompiledQuery.raw(statementFor(rows), taken));
  }

  return {
    flush,
    async add(row: Value[]): Promise<void> {
      if (row.length !== columns.length) throw new Error(`A row of ${table} does not fit its columns.`);
      for (const value of row) {
        values.push(value);
        characters += typeof value === "string" ? value.length : 8;
      }
      if (values.length >= full * columns.length || characters > charactersPerInsert) await flush();
    },
  };
}
