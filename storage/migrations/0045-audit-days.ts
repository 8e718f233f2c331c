import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Stores how long administrators keep the audit log, instead of the operator's setting. */
export async function auditDays(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int } = sqlTypes(engine);
  await sql`alter table auth_settings add column keep_audit_days ${int}`.execute(db);
}
