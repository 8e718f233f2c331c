import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe } from "vitest";
import { addMigratedSqlite, migratedPostgres } from "#tests/support/postgres/migrated-databases.ts";
import { engines, freshDatabaseUrl, type FreshDatabase } from "#tests/support/postgres/postgres.ts";
import type { Database } from "../database/database.ts";
import { openDatabase } from "../database/open.ts";

/** Options of `openDatabase`. */
export type DatabaseLocation = { databaseUrl?: string; dataDir: string };

type Open = {
  /** Opens a new, migrated database. It is closed and deleted after the test. */
  (): Promise<Database>;
  /** A place without a database, which tests open themselves. Deleted after the test. */
  place(): Promise<DatabaseLocation>;
  /** Opens the database of a place. It is closed after the test. */
  at(place: DatabaseLocation): Promise<Database>;
};

type Fill = { sqlite: (dataDir: string) => Promise<void>; postgres: () => Promise<FreshDatabase> };
const migrated: Fill = { sqlite: addMigratedSqlite, postgres: migratedPostgres };
const empty: Fill = { sqlite: async () => {}, postgres: () => freshDatabaseUrl() };

/** Runs a suite on every engine: `describeEveryEngine("threads", (open) => test("…", async () => { const db = await open(); … }))`. */
export function describeEveryEngine(
  name: string,
  suite: (open: Open, engine: Database["engine"]) => void,
): void {
  describe.each(engines)(`${name} (%s)`, (engine) => {
    // In reverse order, so that a database is closed before its place is deleted.
    const cleanups: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (let last = cleanups.pop(); last !== undefined; last = cleanups.pop()) await last();
    });

    async function newPlace(fill: Fill): Promise<DatabaseLocation> {
      const dataDir = await mkdtemp(join(tmpdir(), "parlance-test-"));
      cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
      if (engine === "sqlite") {
        await fill.sqlite(dataDir);
        return { dataDir };
      }
      const { url, drop } = await fill.postgres();
      cleanups.push(drop);
      return { databaseUrl: url, dataDir };
    }

    async function at(where: DatabaseLocation): Promise<Database> {
      const db = await openDatabase(where);
      cleanups.push(() => db.close());
      return db;
    }

    suite(
      Object.assign(async () => at(await newPlace(migrated)), { place: () => newPlace(empty), at }),
      engine,
    );
  });
}
