import type { Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import { sql } from "#storage/database/sql.ts";
import type { Row } from "#storage/database/tables.ts";

/** The SQL of what is reserved. `server/runs/` writes the reservation of a run, in the run's row. */

/** Who shares a budget. */
export type Sharers =
  | { kind: "person"; userId: string; appId: string }
  | { kind: "group"; groupId: string }
  /** The guests of the web app, or the visitors with an anonymous token of an app. */
  | { kind: "guests"; appId: string | null };

/** What runs and other requests reserve that have not ended, without what they have used of it. */
export type Open = { count: number; tokens: number; costMicros: number };

/** What these people reserve now. Runs that wait for a person reserve nothing. */
export async function readOpen(tx: Pick<Tx, "q">, sharers: Sharers): Promise<Open> {
  const used = (amount: string) =>
    sql`(select coalesce(sum(${sql.raw(amount)}), 0) from model_requests where run_id = runs.id)`;
  const { rows } = await sql<Record<keyof Open, number | string>>`
    select count(*) as count,
      coalesce(sum(case when tokens > used_tokens then tokens - used_tokens else 0 end), 0) as tokens,
      coalesce(sum(case when micros > used_micros then micros - used_micros else 0 end), 0) as "costMicros"
    from (
      select reserved_tokens as tokens, reserved_micros as micros,
        ${used("coalesce(input_tokens, 0) + coalesce(output_tokens, 0)")} as used_tokens,
        ${used("cost_micros")} as used_micros
      from runs
      where ended_at is null and reserved_tokens is not null and state = 'running' and ${isOf(sharers, "runs")}
      union all
      select tokens, cost_micros as micros, 0 as used_tokens, 0 as used_micros
      from budget_reservations where ${isOf(sharers, "budget_reservations")}
    ) as reserved`.execute(tx.q);
  const { count, tokens, costMicros } = rows[0]!;
  return { count: Number(count), tokens: Number(tokens), costMicros: Number(costMicros) };
}

function isOf(sharers: Sharers, table: "runs" | "budget_reservations") {
  const app = sql.ref(`${table}.app_id`);
  const isOfApp = sql`(users.is_app_visitor = 1
    and exists (select 1 from apps where apps.id = ${app} and apps.anonymous_tokens is not null))`;
  switch (sharers.kind) {
    case "person":
      return sql`user_id = ${sharers.userId} and app_id = ${sharers.appId}`;
    case "group":
      return sql`user_id in (select user_id from user_group_members where group_id = ${sharers.groupId})`;
    case "guests":
      return sql`exists (select 1 from users where users.id = ${sql.ref(`${table}.user_id`)}
        and users.workspace_id = ${sql.ref(`${table}.workspace_id`)} and users.kind = 'anonymous'
        and ${sharers.appId === null ? sql`not ${isOfApp}` : sql`${isOfApp} and ${app} = ${sharers.appId}`})`;
  }
}

export async function putReservation(tx: Tx, row: Row<"budget_reservations">): Promise<void> {
  await tx.q.insertInto("budget_reservations").values(row).execute();
}

/** With a lease: only if it is unchanged. Returns whether there was one. */
export async function deleteReservation(
  tx: Tx,
  { id, ...lease }: { id: string; lease_owner?: string | null; lease_expires_at?: number | null },
): Promise<boolean> {
  let query = tx.q.deleteFrom("budget_reservations").where("id", "=", id);
  for (const [column, value] of Object.entries(lease))
    query = query.where(column as keyof typeof lease, "=", value);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

/** The leases of what is reserved outside of runs. */
export async function findLeases(
  q: Tx["q"],
): Promise<Pick<Row<"budget_reservations">, "id" | "lease_owner" | "lease_expires_at">[]> {
  return await q
    .selectFrom("budget_reservations")
    .select(["id", "lease_owner", "lease_expires_at"])
    .execute();
}

export async function renewLeases(tx: Tx, ids: readonly string[], expiresAt: number): Promise<void> {
  await tx.q
    .updateTable("budget_reservations")
    .set({ lease_expires_at: expiresAt })
    .where("id", "in", idsOf(tx, ids))
    .execute();
}
