import { copyFile, mkdtemp, readdir, rm, stat, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sql } from "#storage/database/sql.ts";
import { StorageFullError } from "#storage/lib/errors.ts";
import { addApp } from "#storage/testing/rows.ts";
import { addMigration } from "#storage/testing/migrations.ts";
import { canMountDisks, mountSmallDisk } from "#tests/support/servers/small-disk.ts";
import { openSqlite } from "./sqlite.ts";

const undo: (() => unknown)[] = [];
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "parlance-test-"));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
});
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

const copies = async () => (await readdir(dataDir)).filter((name) => name.includes(".before-"));

function addColumn(name: string): void {
  addMigration(name, async (q) => {
    await sql`alter table apps add column ${sql.ref(name.split("-")[1]!)} text`.execute(q);
  });
}

function appsIn(path: string): { ids: unknown[]; columns: number } {
  const file = new DatabaseSync(path, { readOnly: true });
  const rows = file.prepare("select * from apps").all();
  file.close();
  return { ids: rows.map(({ id }) => id), columns: Object.keys(rows[0]!).length };
}

describe("a SQLite database", () => {
  test("is copied before it is migrated, with what only its log has, and two copies are kept", async () => {
    const path = join(dataDir, "parlance.db");
    const first = join(dataDir, "first.db");
    const db = await openSqlite({ path: first });
    await db.write((tx) => addApp(tx, "ada"));
    // As after a crash: the row is in the log only.
    for (const end of ["", "-wal"]) await copyFile(first + end, path + end);
    await db.close();
    expect((await stat(`${path}-wal`)).size).toBeGreaterThan(0);
    expect(await copies()).toEqual([]);

    const said: string[] = [];
    const open = async () =>
      await (await openSqlite({ path, copies: { onMade: (copy) => void said.push(copy) } })).close();
    await open();
    expect(said).toEqual([]);
    addColumn("9998-color");
    addColumn("9999-shape");
    const { columns } = appsIn(path);
    await open();
    const copy = said[0]!;
    expect(copy).toMatch(/parlance\.db\.before-\d+\.\d+\.\d+-\d{8}T\d{6}Z$/);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    expect(appsIn(copy)).toEqual({ ids: ["ada"], columns });
    expect(appsIn(path)).toEqual({ ids: ["ada"], columns: columns + 2 });

    // Left by an older version, and by one that was killed.
    for (const older of ["0055-one-schema", "0.0.1-20200101T000000Z", "0.1.0-20261129T185410Z.unfinished"])
      await writeFile(`${path}.before-${older}`, "");
    addColumn("99991-size");
    await open();
    const kept = await copies();
    expect(kept).toContain(basename(said.at(-1)!));
    expect(kept.length).toBeLessThanOrEqual(2);
    expect(kept.join()).not.toMatch(/one-schema|unfinished/);
  });

  test.skipIf(!canMountDisks())(
    "is left as it was where the copy has no room, and opens once there is",
    async () => {
      undo.push(mountSmallDisk(dataDir, 4));
      const path = join(dataDir, "parlance.db");
      const db = await openSqlite({ path });
      await db.write((tx) => addApp(tx, "ada"));
      await db.close();
      const { columns } = appsIn(path);
      const ballast = join(dataDir, "ballast");
      const { bavail, bsize } = await statfs(dataDir);
      // Room to open the database, but not for a second one.
      await writeFile(ballast, Buffer.alloc(bavail * bsize - 256 * 1024));

      addColumn("9999-color");
      const refusal = await openSqlite({ path }).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(StorageFullError);
      expect(String(refusal)).toMatch(/no space for the copy.* Free at least \d MiB there/);
      expect(await copies()).toEqual([]);
      expect(appsIn(path)).toEqual({ ids: ["ada"], columns });

      await rm(ballast);
      await (await openSqlite({ path })).close();
      expect(await copies()).toHaveLength(1);
    },
  );
});
