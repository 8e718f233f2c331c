import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds the host name that a passkey works at. It is unknown for older ones, until they are used again. */
export async function passkeyHosts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text } = sqlTypes(engine);
  await sql`alter table passkeys add column rp_id ${text}`.execute(db);
}
