import { sql, type Kysely } from "kysely";

/** Adds the index with which the audit log is filtered by action. Those of its other filters are of `0008-accounts`. */
export async function auditFilters(db: Kysely<unknown>): Promise<void> {
  await sql`create index audit_by_action on audit_entries (action, at)`.execute(db);
}
