import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { engines } from "./support/postgres/postgres.ts";
import { rawSql } from "./support/postgres/raw-sql.ts";
import { emptyPlace, startTestServer, type ServerPlace } from "./support/servers/server.ts";
import { childForTest, placeForTest, serverForTest } from "./support/test-scope.ts";

/** A database that a server of a development version used until it was killed. */
async function oldDatabase(place: ServerPlace): Promise<void> {
  const server = await childForTest(place, undefined);
  await rawSql(place, async (run) => {
    await run("delete from migrations");
    for (const name of ["0001-start", "0002-protocol"])
      await run(`insert into migrations (name, timestamp) values ('${name}', '2026-01-01T00:00:00.000Z')`);
  });
  await server.end("SIGKILL");
}

describe.for(engines)("a database of a version from before the first release (%s)", (engine) => {
  test("is refused, and each way that the error names leads to a server that starts", async () => {
    const place = await placeForTest(engine);
    await oldDatabase(place);
    const refusal = await startTestServer({ engine, place }).then(
      () => "It started.",
      (error: unknown) => String(error),
    );
    expect(refusal).toContain("With PostgreSQL, set DATABASE_URL to an empty database.");
    expect(refusal).toContain("With SQLite, set another DATA_DIR, or move parlance.db,");

    const elsewhere = await emptyPlace(engine);
    if (engine === "postgres") {
      const { databaseUrl } = elsewhere;
      const server = await serverForTest({ engine, place: { ...place, databaseUrl: databaseUrl! } });
      await server.close();
    } else {
      await (await serverForTest({ engine, place: elsewhere })).close();
      const files = new Set(refusal.match(/parlance\.db[-\w]*/g));
      expect(files).toContain("parlance.db-wal");
      const away = join(elsewhere.dataDir, "away");
      await mkdir(away);
      for (const file of files)
        if (existsSync(join(place.dataDir, file))) await rename(join(place.dataDir, file), join(away, file));
      const server = await serverForTest({ engine, place });
      expect((await server.guest.send("GET", "/healthz")).status).toBe(200);
      await server.close();
    }
    await elsewhere.remove();
  });
});
