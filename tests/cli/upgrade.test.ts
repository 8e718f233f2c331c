import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { migrations } from "#storage/migrations/list.ts";
import { runCommand } from "../support/servers/cli.ts";
import { branchOf, sendAndWait } from "../support/clients/conversation.ts";
import { readSession, replay } from "../support/postgres/old-session.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { emptyPlace, startTestServer, type EngineName, type ServerPlace } from "../support/servers/server.ts";

/** Databases of earlier versions, named by their newest migration. `docs/development.md` says when to add one. */
const fixtures = join(import.meta.dirname, "../../storage/migrations/fixtures");
const newest = Object.keys(migrations).at(-1)!;
const saved = await readdir(fixtures);
const versions = saved.filter((version) => version < newest);

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

async function placeOf(version: string, engine: EngineName): Promise<ServerPlace> {
  const place = await emptyPlace(engine);
  undo.push(place.remove);
  const folder = join(fixtures, version);
  const unzipped = async (name: string): Promise<Buffer> => gunzipSync(await readFile(join(folder, name)));
  await cp(join(folder, "files"), join(place.dataDir, "files"), { recursive: true });
  if (engine === "sqlite")
    await writeFile(join(place.dataDir, "parlance.db"), await unzipped("parlance.db.gz"));
  else await rawSql(place, async (run) => await run((await unzipped("postgres.sql.gz")).toString()));
  return place;
}

const tables = ["threads", "messages", "queued_messages", "files", "runs", "run_reports", "log_entries"];

async function counts(place: ServerPlace): Promise<unknown[]> {
  const list = tables.map((table) => `(select count(*) from ${table}) as ${table}`).join(", ");
  return Object.values((await rawSql(place, (run) => run(`select ${list}`)))[0]!);
}

/** Tables, columns, indexes and triggers; on SQLite the statements that created them. */
const schemaOf: Record<EngineName, string> = {
  sqlite: "select type, name, sql from sqlite_schema order by type, name",
  postgres: `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
    where table_schema = 'public'
    union all select tablename, indexname, indexdef, null, null from pg_indexes where schemaname = 'public'
    union all select tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), null, null from pg_trigger where not tgisinternal
    union all select conrelid::regclass::text, conname, pg_get_constraintdef(oid), null, null from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select 'function', proname, prosrc, null, null from pg_proc where pronamespace = 'public'::regnamespace
    order by 1, 2, 3`,
};

test("every saved database is named by a migration", () => {
  expect(saved.filter((version) => !(version in migrations))).toEqual([]);
});

describe.each(engines)("a database of an earlier version (%s)", (engine) => {
  test.each(versions)("is upgraded with all its data: %s", async (version) => {
    const place = await placeOf(version, engine);
    const before = await counts(place);
    expect(before).toHaveLength(tables.length);
    expect(before).not.toContain(0);

    const { code, err } = await runCommand(place, ["migrate"]);
    const next = Object.keys(migrations).find((name) => name > version)!;
    const copy = join(place.dataDir, `parlance.db.before-${next}`);
    expect({ code, err }).toEqual({
      code: 0,
      err: engine === "sqlite" ? (expect.stringContaining(copy) as string) : "",
    });
    expect(await counts(place)).toEqual(before);
    // It fails if a migration of an earlier version was edited.
    const fresh = await emptyPlace(engine);
    undo.push(fresh.remove);
    await runCommand(fresh, ["migrate"]);
    const schema = async (where: ServerPlace) => await rawSql(where, (run) => run(schemaOf[engine]));
    expect(await schema(place)).toEqual(await schema(fresh));
    // It also compares the size of each thread with its texts.
    expect(await runCommand(place, ["doctor"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("No problems found") as string,
    });
    const sizes = await rawSql(place, (run) => run("select text_bytes from threads"));
    for (const { text_bytes } of sizes) expect(text_bytes).toBeGreaterThan(20);

    const models = await rawSql(place, (run) =>
      run("select model from runs union select model from queued_messages union select model from threads"),
    );
    const ids = models.map(({ model }) => String(model)).filter((id) => id !== "null");
    expect(ids).toContain("env/fixture-1");
    expect(ids.filter((id) => !/^env\/fixture-[12]$/.test(id))).toEqual([]);

    const server = await startTestServer({ engine, place, model: true });
    undo.push(server.model.close, server.close);
    const ada = server.inWorkspace("org_ada");
    const { threads } = await ada.call("threads.list");
    const garden = threads.find(({ title }) => title === "The garden")!;
    const [last] = await branchOf(ada, garden.id);
    const { reply } = await sendAndWait(ada, "Water it. tokens=2", {
      thread_id: garden.id,
      parent_id: last!.id,
    });
    expect(reply.end?.state).toBe("completed");
  });
});

describe.runIf(engines.includes("postgres"))("a rolling upgrade on PostgreSQL", () => {
  const previous = versions.toSorted().at(-1)!;

  test("lets a process of the previous version read and write", async () => {
    const place = await placeOf(previous, "postgres");
    const session = await readSession(join(fixtures, previous));
    const [before, during] = [Math.floor(session.length / 3), Math.floor((session.length * 2) / 3)];
    const oldProcess = new pg.Client({ connectionString: place.databaseUrl });
    await oldProcess.connect();
    undo.push(async () => await oldProcess.end());

    await replay(oldProcess, session.slice(0, before));
    const [migrated] = await Promise.all([
      runCommand(place, ["migrate"]),
      replay(oldProcess, session.slice(before, during)),
    ]);
    expect(migrated.code).toBe(0);
    await replay(oldProcess, session.slice(during));

    // The old process does not write the new columns. The doctor corrects them.
    await runCommand(place, ["doctor", "--repair"]);
    expect(await runCommand(place, ["doctor"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("No problems found") as string,
    });
    const server = await startTestServer({ engine: "postgres", place });
    undo.push(server.close);
    const { threads } = await server.inWorkspace("org_ada").call("threads.list");
    expect(threads.map(({ title }) => title)).toEqual(
      expect.arrayContaining(["The garden", "A pond tokens=5"]),
    );
  });
});
