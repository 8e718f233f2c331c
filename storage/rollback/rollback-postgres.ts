import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  ClientProgramError,
  connectionOf,
  startClientProgram,
} from "../database/postgres/client-programs.ts";
import { ownTables, quoted } from "../database/postgres/dump-before-migration.ts";
import { DatabaseSetupError, StorageBusyError } from "../lib/errors.ts";
import {
  countedTables,
  keptName,
  type Added,
  type Rollback,
  type RollbackOptions,
} from "./planned-rollback.ts";

const servers = "('parlance', 'parlance notifications')";

/**
 * In one transaction of `psql`: moves the tables into a schema of their own, and runs what `pg_restore` makes of the dump.
 * Whatever is killed before `commit` is sent, the database stays as it was.
 */
export async function rollBackPostgres(
  url: string,
  { copy, confirm, auditEntry }: RollbackOptions,
): Promise<Rollback | undefined> {
  const connection = connectionOf(url);
  const options = [
    "--no-psqlrc",
    "--quiet",
    "--tuples-only",
    "--no-align",
    "--no-password",
    "--set=ON_ERROR_STOP=1",
  ];
  const psql = startClientProgram("psql", [...options, `--dbname=${connection.url}`], connection, [
    "pipe",
    "pipe",
    "pipe",
  ]);
  const ask = askingOf(psql.process);
  try {
    const run = async (statements: string): Promise<string[]> =>
      await Promise.race([ask(statements), psql.ended.then(() => [])]);
    await run("begin; set local lock_timeout = '10s'; set local idle_in_transaction_session_timeout = 0;");
    // Servers that start wait for it before they migrate.
    await run("select pg_advisory_xact_lock(hashtext('migrations'));");
    const [inUse] = await run(
      `select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name in ${servers};`,
    );
    if (inUse !== "0")
      throw new StorageBusyError(
        "The database of DATABASE_URL is in use by a server. Stop every server on it first.",
      );
    const [schema = "public"] = await run("select current_schema();");
    const keptAs = `parlance_${keptName(copy)
      .replaceAll(/[^a-z0-9]/gi, "_")
      .toLowerCase()}`;
    await run(await movesTo(keptAs, run));

    const archive = ["--file=-", "--no-owner", "--no-privileges", `--schema=${schema}`, copy.path];
    const dump = startClientProgram("pg_restore", archive, connection, ["ignore", "pipe", "pipe"]);
    try {
      await Promise.race([send(dump.process, psql.process), psql.ended]);
      await dump.ended;
    } finally {
      // It would wait for a reader.
      dump.process.kill();
    }
    await run(`set local search_path to ${quoted(schema)};`);
    const names = Object.keys(auditEntry).join(", ");
    const values = Object.values(auditEntry).map((value) =>
      typeof value === "number" ? String(value) : literal(value),
    );
    await run(`insert into audit_entries (${names}) values (${values.join(", ")});`);
    // The column is missing in databases of earlier versions.
    const [version = ""] = await run(
      "select to_jsonb(migrations)->>'version' from migrations order by timestamp desc, name desc limit 1;",
    );
    const counts: [string, number][] = [];
    for (const [table, condition] of Object.entries(countedTables)) {
      const [count] = await run(
        `select count(*) from ${keptAs}.${table} as newer where not exists (select 1 from ${table} where id = newer.id)${condition === "" ? "" : ` and newer.${condition}`};`,
      );
      counts.push([table, Number(count)]);
    }
    const planned: Rollback = {
      copy,
      version: version === "" ? undefined : version,
      added: Object.fromEntries(counts) as Added,
      keptAs,
    };
    const isConfirmed = await confirm(planned);
    psql.process.stdin!.end(isConfirmed ? "commit;\n" : "rollback;\n");
    await psql.ended;
    return isConfirmed ? planned : undefined;
  } catch (error) {
    psql.process.stdin!.end("rollback;\n");
    if (!(error instanceof ClientProgramError)) throw error;
    throw new DatabaseSetupError(
      `${error.message} Nothing was changed. The copy is put back with PostgreSQL's client programs (pg_restore, psql), of the server's version or a newer one.`,
      { cause: error },
    );
  }
}

/** The statements that move our tables, and the functions of their triggers, into a new schema. */
async function movesTo(keptAs: string, run: (statements: string) => Promise<string[]>): Promise<string> {
  const own = [...ownTables()].map(literal).join(", ");
  const found = await run(
    `select 'table ' || quote_ident(relname) from pg_class
       where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname in (${own})
     union all select distinct 'function ' || tgfoid::regprocedure::text from pg_trigger join pg_class on pg_class.oid = tgrelid
       where not tgisinternal and relnamespace = current_schema()::regnamespace and relname in (${own});`,
  );
  return [`create schema ${keptAs};`, ...found.map((what) => `alter ${what} set schema ${keptAs};`)].join(
    "\n",
  );
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Sends the statements to `psql`, and returns the lines that it prints. */
function askingOf({ stdin, stdout }: ChildProcess): (statements: string) => Promise<string[]> {
  let output = "";
  let heard = (): void => {};
  stdout!.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    heard();
  });
  const end = "parlance: done\n";
  return async (statements) => {
    const answered = new Promise<void>((resolve) => {
      heard = () => {
        if (output.endsWith(end)) resolve();
      };
    });
    stdin!.write(`${statements}\n\\echo parlance: done\n`);
    await answered;
    const lines = output
      .slice(0, -end.length)
      .split("\n")
      .filter((line) => line !== "");
    output = "";
    return lines;
  };
}

/** Passes on what one program writes to the other, which stays open. */
async function send({ stdout }: ChildProcess, { stdin }: ChildProcess): Promise<void> {
  let isFirst = true;
  for await (const chunk of stdout!) {
    // A server that is older than `pg_restore` does not know this parameter.
    const bytes = isFirst
      ? (chunk as Buffer).toString("latin1").replace("SET transaction_timeout = 0;\n", "")
      : (chunk as Buffer);
    isFirst = false;
    if (!stdin!.write(bytes, "latin1")) await once(stdin!, "drain");
  }
}
