import type { Tx } from "#storage/database/database.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";

/** The SQL of deliveries. Most are inserted by triggers. */

export type DeliveryRow = Row<"webhook_deliveries">;

/** Due is what is due by `nowMs`, and after `furthestMs`: that is the time of a wrong clock. */
type Due = { nowMs: number; furthestMs: number };

/** The webhooks that are on and have something due, and that no job delivers. */
export async function findDueWebhooks(q: Kysely<Tables>, { nowMs, furthestMs }: Due): Promise<string[]> {
  const has = (operator: "<=" | ">", timeMs: number) => sql<boolean>`exists (select 1 from webhook_deliveries
    where webhook_id = webhooks.id and state = 'pending' and due_at ${sql.raw(operator)} ${timeMs})`;
  const found = await q
    .selectFrom("webhooks")
    .select("id")
    .where("off_reason", "is", null)
    .where((is) => is.or([has("<=", nowMs), has(">", furthestMs)]))
    .where(sql<boolean>`not exists (select 1 from jobs where jobs.id = 'webhook ' || webhooks.id)`)
    .execute();
  return found.map(({ id }) => id);
}

/** What is due, the earliest first. */
export async function listDue(
  q: Kysely<Tables>,
  webhookId: string,
  { nowMs, furthestMs }: Due,
  limit: number,
): Promise<DeliveryRow[]> {
  const list = async (operator: "<=" | ">", timeMs: number) =>
    await q
      .selectFrom("webhook_deliveries")
      .selectAll()
      .where("webhook_id", "=", webhookId)
      .where("state", "=", sql.lit("pending"))
      .where("due_at", operator, timeMs)
      .orderBy("due_at")
      .orderBy("position")
      .limit(limit)
      .execute();
  const due = await list("<=", nowMs);
  return due.length > 0 ? due : await list(">", furthestMs);
}

type OfThread = Pick<DeliveryRow, "webhook_id" | "thread_id">;

/** The first of a thread that is pending. */
export async function findFirstOfThread(
  q: Kysely<Tables>,
  { webhook_id: webhookId, thread_id: threadId }: OfThread,
): Promise<DeliveryRow | undefined> {
  return await q
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .where("state", "=", sql.lit("pending"))
    .where("thread_id", "=", threadId)
    .orderBy("position")
    .limit(1)
    .executeTakeFirst();
}

/** Nothing of the thread is due before this time. */
export async function postponeThread(
  tx: Tx,
  { webhook_id: webhookId, thread_id: threadId }: OfThread,
  dueAt: number,
): Promise<void> {
  await tx.q
    .updateTable("webhook_deliveries")
    .set({ due_at: dueAt })
    .where("webhook_id", "=", webhookId)
    .where("state", "=", sql.lit("pending"))
    .where("thread_id", "=", threadId)
    .where("due_at", "!=", dueAt)
    .execute();
}

export async function insertDelivery(tx: Tx, row: NewRow<"webhook_deliveries">): Promise<void> {
  await tx.q
    .insertInto("webhook_deliveries")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findDelivery(
  q: Kysely<Tables>,
  webhookId: string,
  eventId: string,
): Promise<DeliveryRow | undefined> {
  return await q
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .where("event_id", "=", eventId)
    .executeTakeFirst();
}

/** Newest first. */
export async function listDeliveries(
  q: Kysely<Tables>,
  webhookId: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<DeliveryRow[]> {
  let query = q.selectFrom("webhook_deliveries").selectAll().where("webhook_id", "=", webhookId);
  if (before !== undefined) query = query.where("position", "<", before);
  return await query.orderBy("position", "desc").limit(limit).execute();
}

export async function changeDelivery(
  tx: Tx,
  position: number,
  change: RowChange<"webhook_deliveries">,
): Promise<void> {
  await tx.q.updateTable("webhook_deliveries").set(change).where("position", "=", position).execute();
}

/** Gives up all that is pending. */
export async function giveUpPending(tx: Tx, webhookId: string): Promise<void> {
  await tx.q
    .updateTable("webhook_deliveries")
    .set({ state: "failed", problem: "not-sent" })
    .where("webhook_id", "=", webhookId)
    .where("state", "=", sql.lit("pending"))
    .execute();
}

/** Deletes what is about this person. */
export async function deleteOfUser(tx: Tx, appId: string, userId: string): Promise<void> {
  await tx.q
    .deleteFrom("webhook_deliveries")
    .where("user_id", "=", userId)
    .where("webhook_id", "in", tx.q.selectFrom("webhooks").select("id").where("app_id", "=", appId))
    .execute();
}

/** Deletes what is about a guest, if the workspace is that of an account. */
export async function deleteOfGuest(tx: Tx, userId: string, workspaceId: string): Promise<void> {
  await tx.q
    .deleteFrom("webhook_deliveries")
    .where("user_id", "=", userId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("users")
          .select("id")
          .where("workspace_id", "=", workspaceId)
          .where("joined_at", "is not", null),
      ),
    )
    .execute();
}

/** Deletes up to `limit` that happened before this time and are not to be sent any more. Returns their number. */
export async function deleteOld(tx: Tx, beforeMs: number, limit: number): Promise<number> {
  const old = tx.q
    .selectFrom("webhook_deliveries")
    .select("position")
    .where("created_at", "<", beforeMs)
    // An imported chat can be years old.
    .where("state", "!=", sql.lit("pending"))
    .orderBy("created_at")
    .limit(limit);
  const { numDeletedRows } = await tx.q
    .deleteFrom("webhook_deliveries")
    .where("position", "in", old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
