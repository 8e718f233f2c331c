import { readdir } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { readArchive } from "#storage/backup/archive.ts";
import { archiveFile } from "#storage/backup/archive-file.ts";
import { sql } from "#storage/database/sql.ts";
import { lastDeleted, migrations } from "#storage/migrations/list.ts";
import { namesBefore } from "#storage/migrations/renamed.ts";
import { createTriggers, dropTriggers } from "#storage/migrations/schema.ts";
import { addMigration } from "#storage/testing/migrations.ts";
import { branchOf, sendAndWait } from "../support/clients/conversation.ts";
import { loadSaved, loadSavedFiles, savedDatabases as fixtures } from "../support/data/saved-database.ts";
import { rowsOf, rowText, schemaOf } from "../support/data/whole-database.ts";
import { readSession, replay } from "../support/postgres/old-session.ts";
import { copyingEngines, engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { runCommand } from "../support/servers/cli.ts";
import { emptyPlace, startTestServer, type EngineName, type ServerPlace } from "../support/servers/server.ts";

const newest = Object.keys(migrations).at(-1)!;
const saved = await readdir(fixtures);
const refused = saved.filter((version) => version < lastDeleted.name);
const versions = saved.filter((version) => version >= lastDeleted.name && version < newest);

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

async function placeOf(engine: EngineName): Promise<ServerPlace> {
  const place = await emptyPlace(engine);
  undo.push(place.remove);
  return place;
}

async function placeWith(version: string, engine: EngineName): Promise<ServerPlace> {
  const place = await placeOf(engine);
  if (!refused.includes(version)) await loadSavedFiles(version, place);
  await loadSaved(version, engine, place);
  return place;
}

type Rows = Record<string, string[]>;
type Field = [column: string, value: unknown];

/** The rows with the names of this version. */
function renamed(rows: Rows, version: string): Rows {
  const done = Object.keys(migrations).filter((name) => name <= version);
  const { presentTable, presentColumn } = namesBefore(done);
  return changed(
    Object.fromEntries(Object.entries(rows).map(([name, list]) => [presentTable(name), list])),
    ([column, value]) => [presentColumn(column), value],
  );
}

/** The rows without the tables and columns that are not in `before`. */
function withoutNew(rows: Rows, before: Rows): Rows {
  return Object.fromEntries(
    Object.entries(before).map(([name, [first]]) => {
      const known = new Set((JSON.parse(first!) as Field[]).map(([column]) => column));
      const kept = changed({ [name]: rows[name] ?? [] }, (field) =>
        known.has(field[0]) ? field : undefined,
      );
      return [name, kept[name]!];
    }),
  );
}

function changed(rows: Rows, change: (field: Field) => Field | undefined): Rows {
  const changedRow = (row: string): string =>
    rowText(
      Object.fromEntries((JSON.parse(row) as Field[]).map(change).filter((field) => field !== undefined)),
    );
  return Object.fromEntries(
    Object.entries(rows).map(([name, list]) => [name, list.map(changedRow).toSorted()]),
  );
}

/** A backup that the version before made of the saved database. */
const archiveOf = (engine: EngineName): string => join(fixtures, lastDeleted.name, `${engine}.parlance`);

async function rowsOfArchive(path: string): Promise<Rows> {
  const rows: Rows = {};
  let table = { name: "", columns: [] as string[] };
  for await (const line of readArchive(archiveFile(path))) {
    if (line.type === "table") rows[(table = line).name] = [];
    if (line.type === "row")
      rows[table.name]!.push(
        rowText(Object.fromEntries(line.values.map((value, index) => [table.columns[index], value]))),
      );
  }
  for (const list of Object.values(rows)) list.sort();
  return rows;
}

async function expectHealthy(place: ServerPlace): Promise<void> {
  // It also compares the size of each thread with its texts.
  expect(await runCommand(place, ["doctor"])).toMatchObject({
    code: 0,
    out: expect.stringContaining("No problems found") as string,
  });
}

async function expectServed(place: ServerPlace, engine: EngineName): Promise<void> {
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
}

test("every saved database that is opened is named by a migration", () => {
  expect(versions.filter((version) => version !== lastDeleted.name && !(version in migrations))).toEqual([]);
});

describe.each(engines)("a database of an earlier version (%s)", (engine) => {
  test.each(versions)("is upgraded with all its data, secrets included: %s", async (version) => {
    const place = await placeWith(version, engine);
    const before = await rowsOf(place, engine);
    const empty = Object.keys(before).filter((table) => before[table]!.length === 0);
    expect(empty).toEqual([]);

    const { code, err } = await runCommand(place, ["migrate"]);
    const said = copyingEngines.includes(engine) ? "was copied to" : "upgraded without a copy";
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(said) as string });
    const expected = renamed(before, version);
    expect(withoutNew(await rowsOf(place, engine), expected)).toEqual(expected);
    await expectHealthy(place);
    await expectServed(place, engine);
  });

  test.each(versions)("has the schema of a new database after the upgrade: %s", async (version) => {
    const place = await placeWith(version, engine);
    const fresh = await placeOf(engine);
    for (const each of [place, fresh]) await runCommand(each, ["migrate"]);
    const schema = await schemaOf(fresh, engine);
    expect(schema.length).toBeGreaterThan(800);
    expect(await schemaOf(place, engine)).toEqual(schema);
    const names = async (where: ServerPlace) =>
      await rawSql(where, (run) => run("select name from migrations order by name"));
    expect(await names(place)).toEqual(await names(fresh));
  });

  test("calls projects apps in the audit log, also when it comes from a backup", async () => {
    const place = await placeWith(lastDeleted.name, engine);
    const added = `insert into audit_entries (id, at, action, actor, address)
      values ('aud_0project', 1, 'project-key-created', 'usr_0', '10.0.0.2')`;
    await rawSql(place, async (run) => await run(added));
    const archive = join(place.dataDir, "old.parlance");
    expect(await runCommand(place, ["backup", archive])).toMatchObject({ code: 0 });
    const restored = await placeOf(engine);
    expect(await runCommand(place, ["migrate"])).toMatchObject({ code: 0 });
    expect(await runCommand(restored, ["restore", archive])).toMatchObject({ code: 0 });
    for (const each of [place, restored])
      expect(
        (await rowsOf(each, engine)).audit_entries!.filter((row) => row.includes("aud_0project")),
      ).toEqual([expect.stringContaining("app-key-created")]);
  });

  test.each(refused)("is left as it is if it is too old, and the error names a way: %s", async (version) => {
    const place = await placeWith(version, engine);
    const before = await rowsOf(place, engine);
    const { code, err } = await runCommand(place, ["migrate"]);
    expect(code).toBe(1);
    expect(err).toContain(`its newest migration is "${version}"`);
    expect(err).toContain(`Start Parlance of the commit ${lastDeleted.commit} with this database once`);
    expect(await rowsOf(place, engine)).toEqual(before);
    await expect(startTestServer({ engine, place })).rejects.toThrow(lastDeleted.commit);
  });
});

describe.each(engines)("a backup that this version makes of an older database (%s)", (engine) => {
  test("is restored with every row, also in place of the older database", async () => {
    const place = await placeWith(lastDeleted.name, engine);
    const archive = join(place.dataDir, "old.parlance");
    expect(await runCommand(place, ["backup", archive])).toMatchObject({ code: 0 });
    const made = await rowsOfArchive(archive);
    expect(Object.keys(made)).toContain("projects");
    expect(made).toEqual(await rowsOfArchive(archiveOf(engine)));
    expect(await runCommand(place, ["restore", "--replace", archive])).toMatchObject({ code: 0 });
    await expectServed(place, engine);
    const fresh = await placeOf(engine);
    await runCommand(fresh, ["migrate"]);
    expect(await schemaOf(place, engine)).toEqual(await schemaOf(fresh, engine));
  });
});

describe.each(engines)("a backup of an earlier version, restored into %s", (engine) => {
  test.each(engines)("is restored with every row: of %s", async (from) => {
    const place = await placeOf(engine);
    const archive = archiveOf(from);
    expect(await runCommand(place, ["restore", archive])).toMatchObject({ code: 0 });
    const restored = await rowsOf(place, engine);
    const audit = restored.audit_entries!;
    expect(audit.filter((row) => row.includes("backup-restored"))).toHaveLength(1);
    restored.audit_entries = audit.filter((row) => !row.includes("backup-restored"));

    const expected = renamed(await rowsOfArchive(archive), lastDeleted.name);
    expect(Object.keys(expected).filter((table) => expected[table]!.length === 0)).toEqual([]);
    expect(withoutNew(restored, expected)).toEqual(expected);
    await expectHealthy(place);
    await expectServed(place, engine);
  });
});

describe.runIf(engines.includes("postgres"))("an upgrade on PostgreSQL", () => {
  const previous = saved.toSorted().at(-1)!;

  test("lets a process of the version before read and write", async () => {
    // As a later version would: without it, the newest saved database has nothing to migrate.
    addMigration("9999-later", async (q) => {
      await sql`alter table messages add column color text default 'red' not null`.execute(q);
      await dropTriggers(q, "postgres");
      await createTriggers(q, "postgres");
    });
    const place = await placeWith(previous, "postgres");
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
    await expectHealthy(place);
    const server = await startTestServer({ engine: "postgres", place });
    undo.push(server.close);
    const { threads } = await server.inWorkspace("org_ada").call("threads.list");
    expect(threads.map(({ title }) => title)).toEqual(
      expect.arrayContaining(["The garden", "A pond tokens=5"]),
    );
  });

  test("waits for the operator while a server runs that could not use the renamed tables", async () => {
    const place = await placeWith(lastDeleted.name, "postgres");
    const before = await rowsOf(place, "postgres");
    const oldServer = new pg.Client({
      connectionString: place.databaseUrl,
      application_name: "parlance",
    });
    await oldServer.connect();
    const { code, err } = await runCommand(place, ["migrate"]);
    expect(code).toBe(1);
    expect(err).toContain("Nothing was changed. Stop them, then start this version.");
    expect(await rowsOf(place, "postgres")).toEqual(before);
    await oldServer.end();
    expect(await runCommand(place, ["migrate"])).toMatchObject({ code: 0 });
  });
});
