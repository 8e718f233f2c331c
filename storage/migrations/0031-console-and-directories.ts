import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/**
 * Adds whether the keys of a rule for tokens may only be on the public internet, because an administrator named them, and
 * where and how an LDAP directory is searched.
 */
export async function consoleAndDirectories(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int, text } = sqlTypes(engine);
  await sql`alter table jwt_rules add column public_only ${int} not null default 0`.execute(db);
  await sql`alter table sign_in_providers add column directory ${text}`.execute(db);
}
