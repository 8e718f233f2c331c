import { expect } from "vitest";
import { rawSql } from "../postgres/raw-sql.ts";
import type { ChildServer } from "./child-server.ts";
import type { ServerPlace } from "./server.ts";

/**
 * Kills a server and waits until PostgreSQL has noticed, which takes it some milliseconds. `othersCount` servers of the
 * database run on.
 */
export async function killServer(server: ChildServer, place: ServerPlace, othersCount = 0): Promise<void> {
  const ended = await server.end("SIGKILL");
  expect(ended.signal).toBe("SIGKILL");
  if (place.databaseUrl === undefined) return;
  const locks = `select count(distinct (classid, objid)) as count from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
  await rawSql(place, async (run) => {
    await expect.poll(async () => (await run(locks))[0]?.["count"], { timeout: 10_000 }).toBe(othersCount);
  });
}
