import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { readArchive } from "#storage/backup/archive.ts";
import { lastDeleted, migrations } from "#storage/migrations/list.ts";
import { branchOf, sendAndWait } from "../support/clients/conversation.ts";
import { rowsOf, rowText, schemaOf } from "../support/data/whole-database.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { runCommand } from "../support/servers/cli.ts";
import { emptyPlace, startTestServer, type EngineName, type ServerPlace } from "../support/servers/server.ts";

/** Databases of earlier versions, named by their newest migration. `docs/development.md` says when to add one. */
const fixtures = join(import.meta.dirname, "../../storage/migrations/fixtures");
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
  const folder = join(fixtures, version);
  const unzipped = async (name: string): Promise<Buffer> => gunzipSync(await readFile(join(folder, name)));
  if (versions.includes(version))
    await cp(join(folder, "files"), join(place.dataDir, "files"), { recursive: true });
  if (engine === "sqlite")
    await writeFile(join(place.dataDir, "parlance.db"), await unzipped("parlance.db.gz"));
  else await rawSql(place, async (run) => await run((await unzipped("postgres.sql.gz")).toString()));
  return place;
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
    const next = Object.keys(migrations).find((name) => name > version)!;
    const copy = join(place.dataDir, `parlance.db.before-${next}`);
    expect({ code, err }).toEqual({
      code: 0,
      err: engine === "sqlite" ? (expect.stringContaining(copy) as string) : "",
    });
    expect(await rowsOf(place, engine)).toEqual(before);
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

describe.each(engines)("a backup of an earlier version (%s)", (engine) => {
  test("is restored with every row", async () => {
    const place = await placeOf(engine);
    const archive = join(fixtures, lastDeleted.name, "backup.parlance");
    expect(await runCommand(place, ["restore", archive])).toMatchObject({ code: 0 });
    const restored = await rowsOf(place, engine);
    const audit = restored.audit_entries!;
    expect(audit.filter((row) => row.includes("backup-restored"))).toHaveLength(1);
    restored.audit_entries = audit.filter((row) => !row.includes("backup-restored"));

    const expected: Record<string, string[]> = {};
    let table = { name: "", columns: [] as string[] };
    for await (const line of readArchive(archive)) {
      if (line.type === "table") expected[(table = line).name] = [];
      if (line.type === "row")
        expected[table.name]!.push(
          rowText(Object.fromEntries(line.values.map((value, index) => [table.columns[index], value]))),
        );
    }
    for (const [name, rows] of Object.entries(expected)) {
      expect(rows, name).not.toEqual([]);
      expect(restored[name], name).toEqual(rows.toSorted());
    }
    await expectHealthy(place);
    await expectServed(place, engine);
  });
});
