import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe } from "vitest";
import { engines, freshDatabaseUrl } from "#tests/support/postgres.ts";
import type { Database } from "../database/database.ts";
import { openDatabase } from "../database/open.ts";

/** Where a database is: what `openDatabase` takes. */
export type Place = { databaseUrl?: string; dataDir: string };

type Open = {
  /** A new database, empty and migrated. It is closed and deleted after the test. */
  (): Promise<Database>;
  /** A place with no database yet, for tests that open it themselves, or several times. Deleted after the test. */
  place(): Promise<Place>;
  /** Opens a place; closed after the test unless the test has done so. */
  at(place: Place): Promise<Database>;
};

/** One suite, every engine: `describeEveryEngine("threads", (open) => test("…", async () => { const db = await open(); … }))`. */
export function describeEveryEngine(
  name: string,
  suite: (open: Open, engine: Database["engine"]) => void,
): void {
  describe.each(engines)(`${name} (%s)`, (engine) => {
    // Undone from the last to the first: a database is closed before its place goes.
    const undo: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
    });

    async function place(): Promise<Place> {
      const dataDir = await mkdtemp(join(tmpdir(), "parlance-test-"));
      undo.push(() => rm(dataDir, { recursive: true, force: true }));
      if (engine === "sqlite") return { dataDir };
      const { url, drop } = await freshDatabaseUrl();
      undo.push(drop);
      return { databaseUrl: url, dataDir };
    }

    async function at(where: Place): Promise<Database> {
      const db = await openDatabase(where);
      undo.push(() => db.close());
      return db;
    }

    suite(
      Object.assign(async () => at(await place()), { place, at }),
      engine,
    );
  });
}
