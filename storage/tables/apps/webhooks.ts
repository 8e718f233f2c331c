import { bigint, integer, sequence, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";
import { deliveryTriggers } from "./delivery-triggers.ts";

/** Where events are sent to the backends of apps. */
export const webhooks = table("webhooks", {
  since: "0058-webhooks",
  columns: {
    id: text().primaryKey(),
    app_id: text().references("apps", "cascade"),
    url: text(),
    /** JSON list of the types of events that are sent. */
    events: text(),
    /** Why it is off; null if it is on. */
    off_reason: text<"person" | "failing" | "gone" | "secret-missing">().nullable(),
    /** When deliveries began to fail; null since one succeeded. */
    failing_since: bigint().nullable(),
    created_at: bigint(),
  },
  indexes: {
    webhooks_of_app: "app_id, created_at",
  },
  backup: "in backup",
});

/** The encrypted secrets that sign deliveries. The newest one of a webhook has no end. */
export const webhookSecrets = table("webhook_secrets", {
  since: "0058-webhooks",
  columns: {
    id: text().primaryKey(),
    webhook_id: text().references("webhooks", "cascade"),
    ciphertext: text(),
    /** Names the secret that it was encrypted with. */
    key_id: text(),
    created_at: bigint(),
    valid_until: bigint().nullable(),
  },
  indexes: {
    webhook_secrets_of_webhook: "webhook_id, created_at",
  },
  // A restored server does not send what the original sends: its webhooks need new secrets.
  backup: "secret",
});

/** What is to be sent, and what was sent in the last days. Triggers write it in the transaction of what happened. */
export const webhookDeliveries = table("webhook_deliveries", {
  since: "0058-webhooks",
  columns: {
    /** Orders what happened in a thread, because each of these transactions locks the thread. */
    position: sequence().primaryKey(),
    webhook_id: text().references("webhooks", "cascade"),
    /** The same for every attempt. Made from what happened, so that nothing gets two of them. */
    event_id: text(),
    type: text(),
    /** JSON object: ids. */
    data: text(),
    /** Deliveries of one thread are sent in their order. */
    thread_id: text().nullable(),
    /** Whom it is about: it is deleted when they are erased. */
    user_id: text().nullable(),
    /** When it happened. */
    created_at: bigint(),
    state: text<"pending" | "delivered" | "failed">().default("pending"),
    due_at: bigint(),
    attempts: integer().default(0),
    /** 1 if the next attempt is the last one. */
    is_last: integer().default(0),
    last_attempt_at: bigint().nullable(),
    problem: text<"status" | "unreachable" | "timeout" | "not-sent">().nullable(),
    response_status: integer().nullable(),
    response_text: text().nullable(),
  },
  indexes: {
    webhook_deliveries_once: { on: "webhook_id, event_id", isUnique: true },
    webhook_deliveries_listed: "webhook_id, position",
    // The webhook first: those with little to send do not read what others have waiting.
    webhook_deliveries_pending: { on: "webhook_id, due_at, position", where: "state = 'pending'" },
    webhook_deliveries_of_thread: {
      on: "webhook_id, thread_id, position",
      where: "state = 'pending' and thread_id is not null",
    },
    webhook_deliveries_of_user: { on: "user_id", where: "user_id is not null" },
    webhook_deliveries_by_age: "created_at",
  },
  triggers: deliveryTriggers,
  // A restored server must not send what the original has sent.
  backup: "rebuilt",
});
