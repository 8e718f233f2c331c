import { isoTime } from "#server/lib/clock.ts";
import { pageOf } from "#server/lib/page.ts";
import type { QueryOf } from "#contract/api.ts";
import type { AuditAction } from "#contract/accounts/audit-actions.ts";
import type { AuditEntry } from "#contract/endpoints/people.ts";
import type { Database } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";
import { contains } from "./rows.ts";

const pageLimit = 50;
const searched = [
  "actors.name",
  "actors.email_key",
  "targets.name",
  "targets.email_key",
  "target_groups.name_key",
  "target_projects.name",
  "entries.address",
];

/** A page of the audit log, newest first, with the names that people, groups and projects have now. */
export async function listAudit(
  db: Database,
  { person, search, action, from, before, after, limit = pageLimit }: QueryOf<"audit.list">,
): Promise<{ entries: AuditEntry[]; next: string | null }> {
  let query = db.read
    .selectFrom("audit_entries as entries")
    .leftJoin("users as actors", "actors.id", "entries.actor")
    .leftJoin("users as targets", "targets.id", "entries.target")
    .selectAll("entries")
    .leftJoin("user_groups as target_groups", "target_groups.id", "entries.target")
    .leftJoin("projects as target_projects", "target_projects.id", "entries.target")
    .select("actors.name as actor_name")
    .select(
      sql<string | null>`coalesce(targets.name, target_groups.name, target_projects.name)`.as("target_name"),
    )
    // Ids are ordered by time.
    .orderBy("entries.id", "desc")
    .limit(limit + 1);
  if (person !== undefined)
    query = query.where((is) => is.or([is("entries.actor", "=", person), is("entries.target", "=", person)]));
  if (search !== undefined)
    query = query.where((is) => is.or(searched.map((column) => contains(column, search.trim()))));
  if (action !== undefined) query = query.where("entries.action", "=", action);
  if (from !== undefined) query = query.where("entries.at", ">=", Date.parse(from));
  if (before !== undefined) query = query.where("entries.at", "<", Date.parse(before));
  if (after !== undefined) query = query.where("entries.id", "<", after);
  const found = await query.execute();
  const { page, next } = pageOf(found, limit);
  const entries = page.map((row) => ({
    id: row.id,
    at: isoTime(row.at),
    action: row.action as AuditAction,
    actor: row.actor,
    actor_name: row.actor_name,
    target: row.target,
    target_name: row.target_name,
    address: row.address,
    details: row.details === null ? null : (JSON.parse(row.details) as Record<string, unknown>),
  }));
  return { entries, next };
}
