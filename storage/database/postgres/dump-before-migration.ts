import { join } from "node:path";
import { sql, type QueryExecutorProvider } from "kysely";
import { DatabaseSetupError } from "#storage/lib/errors.ts";
import { makeFolder } from "#storage/lib/make-folder.ts";
import { tables } from "#storage/tables/tables.ts";
import { namesBefore } from "#storage/migrations/renamed.ts";
import { dumpName, makeCopy, missingBytes, type UpgradeCopies } from "../upgrade-copies.ts";
import { connectionOf, startClientProgram } from "./client-programs.ts";

/**
 * Copies the tables of the current schema to a file in the data folder, with `pg_dump`. The transaction `q` has the lock
 * of migrations. If there is no copy, the reason is reported, or it throws `DatabaseSetupError` where one is required.
 */
export async function dumpBeforeMigration(
  q: QueryExecutorProvider,
  { url, dataDir }: { url: string; dataDir: string },
  { policy = "on", onMade, onNone }: UpgradeCopies,
): Promise<void> {
  if (policy === "off") return onNone?.("COPY_BEFORE_UPGRADE is off.");
  try {
    onMade?.(await dump(q, url, dataDir));
  } catch (error) {
    const why = (error as Error).message;
    if (policy === "required")
      throw new DatabaseSetupError(
        `The database has to be copied before it is upgraded (COPY_BEFORE_UPGRADE=required), and that failed. ${why} Nothing was changed.`,
        { cause: error },
      );
    onNone?.(why);
  }
}

async function dump(q: QueryExecutorProvider, url: string, dataDir: string): Promise<string> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(q);
  const { rows } = await sql<{ schema: string; name: string; bytes: string }>`
    select current_schema() as schema, relname as name, pg_table_size(oid) as bytes from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`.execute(q);
  await makeFolder(dataDir);
  const own = ownTables();
  const bytes = rows.reduce((sum, row) => sum + (own.has(row.name) ? Number(row.bytes) : 0), 0);
  const missing = missingBytes(dataDir, bytes);
  if (missing > 0)
    throw new Error(
      `${dataDir} needs ${Math.ceil(missing / (1024 * 1024))} MiB more for a copy of ${Math.ceil(bytes / (1024 * 1024))} MiB.`,
    );
  const connection = connectionOf(url);
  const schema = quoted(rows[0]!.schema);
  // Other programs may use the same schema.
  const others = rows.filter(({ name }) => !own.has(name)).map(({ name }) => `${schema}.${quoted(name)}`);
  return await makeCopy(join(dataDir, dumpName), async (unfinished) => {
    const args = ["--format=custom", "--no-owner", "--no-privileges", "--no-password", `--schema=${schema}`];
    const excluded = others.map((name) => `--exclude-table=${name}`);
    await startClientProgram(
      "pg_dump",
      [...args, ...excluded, `--file=${unfinished}`, `--dbname=${connection.url}`],
      connection,
    ).ended;
  });
}

/** The names of tables in this version, and in those before. */
export function ownTables(): Set<string> {
  const { formerTable } = namesBefore([]);
  const names = tables.map(({ name }) => name);
  return new Set([...names, ...names.map(formerTable), "migrations", "migrations_lock"]);
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
