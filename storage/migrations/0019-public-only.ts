import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds whether an address may only be on the public internet, because an administrator and not the owner entered it. */
export async function publicOnly(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int } = sqlTypes(engine);
  for (const table of ["model_providers", "sign_in_providers"])
    await sql`alter table ${sql.table(table)} add column public_only ${int} not null default 0`.execute(db);
}
