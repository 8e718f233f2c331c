import pg from "pg";
import { translatePostgresError } from "../database/postgres/errors.ts";
import { postgresTypes } from "../database/postgres/types.ts";
import type { ArchiveLine, Value } from "./archive.ts";
import { namesBefore } from "../migrations/renamed.ts";
import { withoutTemporary } from "./without-temporary.ts";
import { knownMigrations, quoted, type Snapshot, type SnapshotOptions } from "./snapshot.ts";

/** Few rows at a time, because one message may have megabytes. */
const rowsPerFetch = 32;

/** A read-only transaction with a snapshot of the database at its start. */
export async function withPostgresSnapshot<T>(
  url: string,
  work: (snapshot: Snapshot) => Promise<T>,
  { tables: wanted }: SnapshotOptions,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "parlance backup",
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    types: postgresTypes,
  });
  // The next query on the connection throws the error.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("begin isolation level repeatable read read only");
    await client.query("set local statement_timeout = 0");
    await client.query("set local idle_in_transaction_session_timeout = 0");
    const existing = await texts(
      client,
      "select table_name from information_schema.tables where table_schema = current_schema()",
    );
    const names = existing.includes("migrations") ? await texts(client, "select name from migrations") : [];
    return await work({
      engine: "postgres",
      migrations: knownMigrations(names, "the database of DATABASE_URL"),
      rows: async (statement) => (await client.query<Record<string, unknown>>(statement)).rows,
      tables: rowsOf(
        client,
        wanted.map(namesBefore(names).formerTable).filter((name) => existing.includes(name)),
      ),
    });
  } catch (error) {
    throw translatePostgresError(error);
  } finally {
    await client.end().catch(() => {});
  }
}

async function* rowsOf(client: pg.Client, tables: string[]): AsyncGenerator<ArchiveLine> {
  for (const name of tables) {
    const columns = await texts(
      client,
      "select column_name from information_schema.columns where table_schema = current_schema() " +
        "and table_name = $1 and is_generated = 'NEVER' order by ordinal_position",
      [name],
    );
    yield { type: "table", name, columns };
    const list = columns.map(quoted).join(", ");
    const rest = withoutTemporary(name);
    await client.query(`declare kept no scroll cursor for select ${list} from ${quoted(name)}${rest}`);
    for (;;) {
      const { rows } = await client.query<Value[]>({
        text: `fetch ${rowsPerFetch} from kept`,
        rowMode: "array",
      });
      for (const values of rows) yield { type: "row", values };
      if (rows.length < rowsPerFetch) break;
    }
    await client.query("close kept");
  }
}

async function texts(client: pg.Client, text: string, values: string[] = []): Promise<string[]> {
  const { rows } = await client.query<[string]>({ text, values, rowMode: "array" });
  return rows.map(([value]) => value);
}
