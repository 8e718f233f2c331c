import type { Tx } from "#storage/database/database.ts";
import { forUpdate } from "#storage/database/portable-sql.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";
import { hasNoAccount } from "#server/people/accounts/private-workspaces.ts";
import { isLastingThread } from "#server/threads/temporary-rows.ts";

/** The SQL of alert rules, and of what they measure. */

export type RuleRow = Row<"alert_rules">;

export async function listRules(q: Kysely<Tables>, appId: string): Promise<RuleRow[]> {
  return await q
    .selectFrom("alert_rules")
    .selectAll()
    .where("app_id", "=", appId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

export async function lockRule(tx: Tx, id: string): Promise<RuleRow | undefined> {
  const query = tx.q.selectFrom("alert_rules").selectAll().where("id", "=", id);
  return await forUpdate(tx, query).executeTakeFirst();
}

/** The rules of all apps that are to be measured. A time far ahead is that of a wrong clock. */
export async function listDueRules(
  q: Kysely<Tables>,
  { nowMs, furthestMs }: { nowMs: number; furthestMs: number },
): Promise<RuleRow[]> {
  return await q
    .selectFrom("alert_rules")
    .selectAll()
    .where("is_on", "=", sql.lit(1))
    .where((is) => is.or([is("due_at", "<=", nowMs), is("due_at", ">", furthestMs)]))
    .execute();
}

export async function insertRule(tx: Tx, row: NewRow<"alert_rules">): Promise<void> {
  await tx.q.insertInto("alert_rules").values(row).execute();
}

export async function changeRule(tx: Tx, id: string, change: RowChange<"alert_rules">): Promise<void> {
  await tx.q.updateTable("alert_rules").set(change).where("id", "=", id).execute();
}

export async function deleteRule(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("alert_rules").where("id", "=", id).execute();
}

/** The app's runs that began since this time, as its API key sees them. */
function runsSince(q: Kysely<Tables>, appId: string, sinceMs: number) {
  return q
    .selectFrom("runs")
    .where("runs.app_id", "=", appId)
    .where("runs.created_at", ">=", sinceMs)
    .where(hasNoAccount("runs.workspace_id"))
    .where(isLastingThread("runs.thread_id"));
}

/** How many began, ended and failed, and what they cost. */
export async function sumRuns(q: Kysely<Tables>, appId: string, sinceMs: number) {
  return await runsSince(q, appId, sinceMs)
    .select([
      sql<number>`count(*)`.as("begun"),
      sql<number>`coalesce(sum(case when ended_at is not null then 1 else 0 end), 0)`.as("ended"),
      sql<number>`coalesce(sum(case when state = 'failed' then 1 else 0 end), 0)`.as("failed"),
      sql<number>`coalesce(sum(cost_micros), 0)`.as("micros"),
    ])
    .executeTakeFirstOrThrow();
}

const durationMs = sql<number>`ended_at - coalesce(started_at, created_at)`;

/** The duration of the run at this place, from 0, the shortest first. */
export async function findDurationMs(
  q: Kysely<Tables>,
  appId: string,
  sinceMs: number,
  place: number,
): Promise<number | undefined> {
  const row = await runsSince(q, appId, sinceMs)
    .where("ended_at", "is not", null)
    .select(durationMs.as("duration"))
    .orderBy(durationMs)
    .offset(place)
    .limit(1)
    .executeTakeFirst();
  return row?.duration;
}
