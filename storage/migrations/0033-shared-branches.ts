import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Lets links share all branches of a thread. */
export async function sharedBranches(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int } = sqlTypes(engine);
  await sql`alter table shares add column all_branches ${int} not null default 0`.execute(db);
}
