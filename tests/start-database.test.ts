import { mkdirSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, onTestFinished } from "vitest";
import { startServer } from "#server/app/compose.ts";
import { createLogger } from "#server/lib/logger.ts";
import { readConfig } from "#server/settings/settings.ts";
import { runServerToItsEnd } from "./support/servers/child-server.ts";
import { createCluster, freePort, type Cluster } from "./support/postgres/postgres-cluster.ts";
import { findPostgresPrograms } from "./support/postgres/postgres-programs.ts";
import { engines } from "./support/postgres/postgres.ts";
import { emptyPlace, settingsOf, type ServerPlace } from "./support/servers/server.ts";

async function newFolder(): Promise<ServerPlace> {
  const place = await emptyPlace("sqlite");
  onTestFinished(place.remove);
  return place;
}

/** The error of a server that cannot start. Checks that it has no stack and no password. */
async function startError(settings: Record<string, string>, place?: ServerPlace): Promise<string> {
  const ended = await runServerToItsEnd(
    settingsOf(place ?? (await newFolder()), undefined, { DATABASE_WAIT_SECONDS: "0", ...settings }),
  );
  expect(ended.code).toBe(1);
  expect(ended.stderr).not.toMatch(/terribly-secret|\n +at /);
  return /Parlance cannot start\. (.*)\n/.exec(ended.stderr)?.[1] ?? ended.stderr;
}

describe("a server whose SQLite file cannot be used", () => {
  test("reports that it is not a database, and what to do", async () => {
    const place = await newFolder();
    const path = join(place.dataDir, "parlance.db");
    writeFileSync(path, "Shopping list\n".repeat(1_000));
    expect(await startError({}, place)).toBe(
      `${path} is not a SQLite database, or is damaged. Move it away to start with an empty one, restore a backup (the command restore), or set another DATA_DIR.`,
    );
  });

  test.for(["parlance.db", "secret"])("reports that it has no permission for %s", async (name) => {
    const place = await newFolder();
    mkdirSync(join(place.dataDir, name));
    const said = await startError({ PARLANCE_SECRET: "" }, place);
    expect(said).toContain(join(place.dataDir, name));
    expect(said).toContain("DATA_DIR");
  });
});

describe.runIf(engines.includes("postgres"))("a server whose PostgreSQL cannot be used", () => {
  let cluster: Cluster;
  let address: URL;
  beforeAll(async () => {
    const folder = join(tmpdir(), `parlance-access-${process.pid}`);
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const access = join(folder, "access.conf");
    await writeFile(
      access,
      "host all parlance 127.0.0.1/32 trust\nhost all ada 127.0.0.1/32 scram-sha-256\n",
      { mode: 0o644 },
    );
    cluster = await createCluster(findPostgresPrograms()!.folder, { hba_file: access });
    await cluster.start();
    const client = new pg.Client({ connectionString: cluster.url });
    await client.connect();
    await client.query("create role ada login password 'terribly-secret'");
    await client.query("create database garden");
    await client.query("revoke all on schema public from public");
    await client.end();
    address = new URL(cluster.url);
  }, 60_000);
  afterAll(async () => {
    await cluster.end("SIGKILL");
    cluster.remove();
  });

  /** The URL of the cluster, with changes. */
  function urlWith(changes: Partial<Pick<URL, "username" | "password" | "pathname" | "host">>): string {
    return Object.assign(new URL(address), changes).href;
  }

  test.for([
    [
      "a wrong password",
      (): string => urlWith({ username: "ada", password: "wrong" }),
      "does not accept the user ada with this password. Correct DATABASE_URL.",
    ],
    [
      "no password",
      (): string => urlWith({ username: "ada" }),
      "requires a password for the user ada. Add it to DATABASE_URL: postgres://ada:password@",
    ],
    [
      "a user that may not connect",
      (): string => urlWith({ username: "eve", password: "terribly-secret" }),
      "does not let the user eve connect (no pg_hba.conf entry",
    ],
    [
      "a database that does not exist",
      (): string => urlWith({ pathname: "/meadow" }),
      'has no database "meadow". Create it (create database "meadow"), or correct DATABASE_URL.',
    ],
    [
      "a user without rights on the schema",
      (): string => urlWith({ username: "ada", password: "terribly-secret" }),
      'The user ada may not create tables in the database "postgres". As its owner, run: alter database "postgres" owner to "ada"; or: grant all on schema public to "ada";',
    ],
    [
      "an unknown host",
      (): string => "postgres://ada:terribly-secret@db.invalid/garden",
      "The host db.invalid of DATABASE_URL is unknown. Correct its name, or start the machine that has it.",
    ],
  ] as const)("says what to do about %s", async ([, url, message]) => {
    expect(await startError({ DATABASE_URL: url() })).toContain(message);
  });

  test("says what to do about a closed port", async () => {
    const port = await freePort();
    const settings = { DATABASE_URL: urlWith({ host: `127.0.0.1:${port}` }), DATABASE_WAIT_SECONDS: "1" };
    expect(await startError(settings)).toContain(
      `Nothing answers at 127.0.0.1:${port} (ECONNREFUSED). Start PostgreSQL, or correct host and port in DATABASE_URL.`,
    );
  });

  test("waits for PostgreSQL, and reports that", async () => {
    await cluster.end("SIGINT");
    const place = { ...(await newFolder()), databaseUrl: urlWith({ pathname: "/garden" }) };
    const lines: string[] = [];
    const logger = createLogger("warn", {
      write(line: string) {
        if (lines.push(line) === 1) void cluster.start();
      },
    });
    const config = readConfig(place.dataDir, settingsOf(place, undefined));
    const server = await startServer(config, { logger, root: place.dataDir });
    onTestFinished(server.close);
    expect(lines[0]).toMatch(/Nothing answers at [^]* Waiting for PostgreSQL, at most 30 s\./);
    expect(lines[0]).toContain(address.host);
  });
});
