import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";

/**
 * Removes the end of the lease from the index of the runs in progress. On PostgreSQL, each page of the table also keeps room
 * for another version of every second row. A lease is then renewed without a new entry in every index of the table.
 */
export async function indexOfRunningRuns(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await sql`drop index runs_alive`.execute(db);
  await sql`create index runs_alive on runs (state) where ended_at is null`.execute(db);
  if (engine === "postgres") await sql`alter table runs set (fillfactor = 65)`.execute(db);
}
