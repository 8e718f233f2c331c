import { isoTime } from "#server/lib/clock.ts";
import { contains, pageOf } from "#server/lib/page.ts";
import type { QueryOf } from "#contract/api.ts";
import type { AuditAction } from "#contract/accounts/audit-actions.ts";
import type { AuditEntry } from "#contract/endpoints/people.ts";
import type { Database } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";

type Query = QueryOf<"audit.list">;

const pageLimit = 50;
/** If a search finds more people, groups and apps than this, their entries are found by reading the newest ones. */
const lookedUpMax = 200;
/** What can be part of a network address. Other texts are looked for in names only, because no index finds addresses. */
const partOfAddress = /^(?=.*[\d.:])[\da-f.:]+$/i;

/** A page of the audit log, newest first, with the names that people, groups and apps have now. */
export async function listAudit(
  db: Database,
  query: Query,
): Promise<{ entries: AuditEntry[]; next: string | null }> {
  const { limit = pageLimit } = query;
  const ids = await findIds(db, query, limit + 1);
  if (ids.length === 0) return { entries: [], next: null };
  const found = await db.read
    .selectFrom("audit_entries as entries")
    .leftJoin("users as actors", "actors.id", "entries.actor")
    .leftJoin("users as targets", "targets.id", "entries.target")
    .leftJoin("user_groups as target_groups", "target_groups.id", "entries.target")
    .leftJoin("apps as target_apps", "target_apps.id", "entries.target")
    .selectAll("entries")
    .select("actors.name as actor_name")
    .select(
      sql<string | null>`coalesce(targets.name, target_groups.name, target_apps.name)`.as("target_name"),
    )
    .where("entries.id", "in", ids)
    .orderBy("entries.at", "desc")
    .orderBy("entries.id", "desc")
    .execute();
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

/** The ids of the newest entries that match, at most `limit`. A query for each column lets each use its index. */
async function findIds(db: Database, query: Query, limit: number): Promise<string[]> {
  const queries = await queriesFor(db, query, limit);
  const found = (await Promise.all(queries.map(async (each) => await each.execute()))).flat();
  const newest = found.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  return [...new Set(newest.map(({ id }) => id))].slice(0, limit);
}

async function queriesFor(db: Database, query: Query, limit: number): Promise<EntryQuery[]> {
  const { person } = query;
  const search = query.search?.trim();
  const entries = entriesOf(db, query, limit);
  const about = (ids: string[]) =>
    ids.length === 0
      ? []
      : (["actor", "target"] as const).map((column) =>
          entriesOf(db, query, limit, { indexOf: column }).where(column, "in", ids),
        );
  if (search === undefined) return person === undefined ? [entries] : about([person]);
  const hasAddress = contains("audit_entries.address", search);
  const matching = (each: EntryQuery) =>
    each.where((is) =>
      is.or([
        is("actor", "in", subjectsOf(db, search)),
        is("target", "in", subjectsOf(db, search)),
        hasAddress,
      ]),
    );
  if (person !== undefined) return about([person]).map(matching);
  const subjects = await subjectsOf(db, search)
    .limit(lookedUpMax + 1)
    .execute();
  if (subjects.length > lookedUpMax) return [matching(entries)];
  const addresses = partOfAddress.test(search) ? [entries.where(hasAddress)] : [];
  return [...about(subjects.map(({ id }) => id)), ...addresses];
}

type EntryQuery = ReturnType<typeof entriesOf>;

/**
 * The newest entries with this action and at these times. `indexOf`: the column whose index finds them. SQLite has no
 * statistics, and could take the index of the action, which a hundred thousand entries may have.
 */
function entriesOf(
  db: Database,
  { action, from, before, after }: Query,
  limit: number,
  { indexOf = "action" }: { indexOf?: "action" | "actor" | "target" } = {},
) {
  let query = db.read
    .selectFrom("audit_entries")
    .select(["id", "at"])
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(limit);
  if (action !== undefined)
    query =
      indexOf === "action"
        ? query.where("action", "=", action)
        : query.where(sql<boolean>`action || '' = ${action}`);
  if (from !== undefined) query = query.where("at", ">=", Date.parse(from));
  if (before !== undefined) query = query.where("at", "<", Date.parse(before));
  if (after !== undefined) {
    const last = sql<number>`(select at from audit_entries where id = ${after})`;
    query = query.where("at", "<=", last).where((is) => is.or([is("at", "<", last), is("id", "<", after)]));
  }
  return query;
}

/** The ids of the people, groups and apps with this text in their name or address. */
function subjectsOf({ read }: Pick<Database, "read">, search: string) {
  return read
    .selectFrom("users")
    .select("users.id")
    .where((is) => is.or([contains("users.name", search), contains("users.email_key", search)]))
    .unionAll(
      read.selectFrom("user_groups").select("user_groups.id").where(contains("user_groups.name_key", search)),
    )
    .unionAll(read.selectFrom("apps").select("apps.id").where(contains("apps.name", search)));
}
