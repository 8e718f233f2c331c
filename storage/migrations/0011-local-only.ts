import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Stores which threads only models in the operator's own network may answer. */
export async function localOnly(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int } = sqlTypes(engine);
  await sql`alter table threads add column local_only ${int}`.execute(db);
}
