import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { rawSql } from "../postgres/raw-sql.ts";
import type { EngineName, ServerPlace } from "../servers/server.ts";

/** Databases of earlier versions, in folders that are named by their newest migration. `docs/development.md` says more. */
export const savedDatabases = join(import.meta.dirname, "../../../storage/migrations/fixtures");

const names = { sqlite: "parlance.db.gz", postgres: "postgres.sql.gz" } as const;

/** Puts a saved database into an empty place. */
export async function loadSaved(version: string, engine: EngineName, place: ServerPlace): Promise<void> {
  const saved = gunzipSync(await readFile(join(savedDatabases, version, names[engine])));
  if (engine === "sqlite") await writeFile(join(place.dataDir, "parlance.db"), saved);
  else await rawSql(place, async (run) => await run(saved.toString()));
}

/** The files of a saved database. Those of the oldest have none. */
export async function loadSavedFiles(version: string, place: ServerPlace): Promise<void> {
  await cp(join(savedDatabases, version, "files"), join(place.dataDir, "files"), { recursive: true });
}

/** Saves the database and the files of a place, which no server uses. */
export async function save(place: ServerPlace, engine: EngineName, version: string): Promise<void> {
  const folder = join(savedDatabases, version);
  await mkdir(folder, { recursive: true });
  const bytes = engine === "sqlite" ? await sqliteBytes(place) : await postgresStatements(place);
  await writeFile(join(folder, names[engine]), gzipSync(bytes, { level: 9 }));
  if (engine === "sqlite")
    await cp(join(place.dataDir, "files"), join(folder, "files"), { recursive: true, force: true });
}

async function sqliteBytes({ dataDir }: ServerPlace): Promise<Buffer> {
  const copy = join(dataDir, "saved.db");
  const file = new DatabaseSync(join(dataDir, "parlance.db"));
  file.prepare("vacuum into ?").run(copy);
  file.close();
  const bytes = await readFile(copy);
  await rm(copy);
  return bytes;
}

/** Without what only psql reads. */
async function postgresStatements({ databaseUrl }: ServerPlace): Promise<string> {
  const options = ["--inserts", "--no-owner", "--no-privileges", `--dbname=${databaseUrl!}`];
  const { stdout } = await promisify(execFile)("pg_dump", options, { maxBuffer: 64 * 1024 * 1024 });
  return stdout
    .split("\n")
    .filter((line) => !/^(--|SET |SELECT pg_catalog\.set_config|\\)/.test(line))
    .join("\n");
}
