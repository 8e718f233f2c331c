import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";

/**
 * Leaves the end of the lease out of the index of the runs in progress, and on PostgreSQL room for another version of
 * every second row in each page. A lease is then renewed without an entry in every index of the table.
 */
export async function indexOfRunningRuns(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await sql`drop index runs_alive`.execute(db);
  await sql`create index runs_alive on runs (state) where ended_at is null`.execute(db);
  if (engine === "postgres") await sql`alter table runs set (fillfactor = 65)`.execute(db);
}
