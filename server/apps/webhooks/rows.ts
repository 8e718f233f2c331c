import type { Tx } from "#storage/database/database.ts";
import { forUpdate } from "#storage/database/portable-sql.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";
import type { SealedSecret } from "#server/sign-in/secret-vault.ts";

/** The SQL of webhooks and their secrets. */

export type WebhookRow = Row<"webhooks">;
export type SecretRow = Row<"webhook_secrets">;

/** With the end of the secret before the newest one, if it still counts. */
export type ListedWebhook = WebhookRow & { former_until: number | null };

export async function listWebhooks(
  q: Kysely<Tables>,
  appId: string,
  nowMs: number,
): Promise<ListedWebhook[]> {
  return await q
    .selectFrom("webhooks")
    .selectAll()
    .select((row) =>
      row
        .selectFrom("webhook_secrets")
        .whereRef("webhook_id", "=", "webhooks.id")
        .where("valid_until", ">", nowMs)
        .select((secret) => secret.fn.max("valid_until").as("until"))
        .as("former_until"),
    )
    .where("app_id", "=", appId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

export async function countWebhooks(tx: Tx, appId: string): Promise<number> {
  const { count } = await tx.q
    .selectFrom("webhooks")
    .where("app_id", "=", appId)
    .select((row) => row.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

export async function findWebhook(q: Kysely<Tables>, id: string): Promise<WebhookRow | undefined> {
  return await q.selectFrom("webhooks").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function lockWebhook(tx: Tx, id: string): Promise<WebhookRow | undefined> {
  return await forUpdate(tx, tx.q.selectFrom("webhooks").selectAll().where("id", "=", id)).executeTakeFirst();
}

export async function insertWebhook(tx: Tx, row: NewRow<"webhooks">): Promise<void> {
  await tx.q.insertInto("webhooks").values(row).execute();
}

export async function changeWebhook(tx: Tx, id: string, change: RowChange<"webhooks">): Promise<void> {
  await tx.q.updateTable("webhooks").set(change).where("id", "=", id).execute();
}

export async function deleteWebhook(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("webhooks").where("id", "=", id).execute();
}

/** Of all webhooks. */
export async function listSecrets(q: Kysely<Tables>): Promise<SecretRow[]> {
  return await q.selectFrom("webhook_secrets").selectAll().execute();
}

/** The secrets that count at this time, the newest first. */
export async function findSecrets(q: Kysely<Tables>, webhookId: string, nowMs: number): Promise<SecretRow[]> {
  return await q
    .selectFrom("webhook_secrets")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .where((is) => is.or([is("valid_until", "is", null), is("valid_until", ">", nowMs)]))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

export async function insertSecret(tx: Tx, row: NewRow<"webhook_secrets">): Promise<void> {
  await tx.q.insertInto("webhook_secrets").values(row).execute();
}

export async function changeSecret(tx: Tx, id: string, { ciphertext, keyId }: SealedSecret): Promise<void> {
  await tx.q.updateTable("webhook_secrets").set({ ciphertext, key_id: keyId }).where("id", "=", id).execute();
}

/** Ends the newest secret at this time, and deletes those that have ended and all but `kept` of the others. */
export async function endSecrets(
  tx: Tx,
  webhookId: string,
  { nowMs, untilMs, kept }: { nowMs: number; untilMs: number; kept: number },
): Promise<void> {
  await tx.q
    .updateTable("webhook_secrets")
    .set({ valid_until: untilMs })
    .where("webhook_id", "=", webhookId)
    .where("valid_until", "is", null)
    .execute();
  const counting = (await findSecrets(tx.q, webhookId, nowMs)).slice(0, kept).map(({ id }) => id);
  await tx.q
    .deleteFrom("webhook_secrets")
    .where("webhook_id", "=", webhookId)
    .where("id", "not in", [...counting, ""])
    .execute();
}
