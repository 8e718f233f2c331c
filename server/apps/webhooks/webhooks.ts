import type { BodyOf, QueryOf } from "#contract/api.ts";
import type { AuditAction } from "#contract/accounts/audit-actions.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Webhook, WebhookDelivery } from "#contract/webhooks/endpoints.ts";
import { webhookEvents, type WebhookEvent } from "#contract/webhooks/webhooks.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { GuardedPost } from "#server/fetch/guarded-post.ts";
import type { Jobs } from "#server/jobs/jobs.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import { isoTime, type Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { pageOf } from "#server/lib/page.ts";
import type { SecretVault } from "#server/sign-in/secret-vault.ts";
import { findApp, lockApps } from "../rows.ts";
import { createDelivery, detailsOf } from "./deliver.ts";
import * as deliveryRows from "./delivery-rows.ts";
import * as rows from "./rows.ts";
import { newSecret } from "./webhook-secrets.ts";

/** How many secrets of a webhook sign at the same time, if it is rotated again and again. */
const secretsMax = 3;
const sweepBatch = 1_000;

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Where events are sent to the backends of apps. Functions about one app throw `app-not-found`. */
export function createWebhooks(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "warn">;
  jobs: Pick<Jobs, "add">;
  vault: SecretVault;
  mayStoreSecrets: boolean;
  target: GuardedPost;
}) {
  const { db, clock, jobs, vault, mayStoreSecrets, target } = options;
  const delivery = createDelivery(options);

  async function requireApp(q: Tx["q"], appId: string): Promise<void> {
    if ((await findApp({ read: q }, appId)) === undefined) throw new AppError("app-not-found");
  }

  /** Locks the webhook. Throws `webhook-not-found`. */
  async function lock(tx: Tx, appId: string, id: string): Promise<rows.WebhookRow> {
    await requireApp(tx.q, appId);
    const row = await rows.lockWebhook(tx, id);
    if (row?.app_id !== appId) throw new AppError("webhook-not-found");
    return row;
  }

  async function storeSecret(tx: Tx, webhookId: string): Promise<string> {
    if (!mayStoreSecrets) throw new AppError("secret-not-set");
    const nowMs = clock.now();
    const untilMs = nowMs + limits.webhookSecretOverlapMs;
    await rows.endSecrets(tx, webhookId, { nowMs, untilMs, kept: secretsMax - 1 });
    const secret = newSecret();
    const { ciphertext, keyId } = vault.encrypt(secret, webhookId);
    await rows.insertSecret(tx, {
      id: newId("webhook", nowMs),
      webhook_id: webhookId,
      ciphertext,
      key_id: keyId,
      created_at: nowMs,
      valid_until: null,
    });
    return secret;
  }

  async function present(tx: Tx, { id, app_id: appId }: rows.WebhookRow): Promise<Webhook> {
    return presentWebhook((await rows.listWebhooks(tx.q, appId, clock.now())).find((row) => row.id === id)!);
  }

  async function record(
    tx: Tx,
    action: AuditAction,
    actor: Actor,
    { id, app_id: appId, url, events }: rows.WebhookRow,
    more: JsonObject = {},
  ): Promise<void> {
    const details = { ...detailsOf(appId, url), events: JSON.parse(events) as string[], ...more };
    await recordAudit(tx, { action, actor, target: id, details }, clock.now());
  }

  const begin = async (webhookId: string): Promise<void> =>
    await jobs.add("webhook", webhookId, { webhookId }, {});

  return {
    async list(appId: string): Promise<Webhook[]> {
      await requireApp(db.read, appId);
      return (await rows.listWebhooks(db.read, appId, clock.now())).map(presentWebhook);
    },

    /** Throws `too-many-webhooks`, `address-not-allowed`, `fetching-off` and `secret-not-set`. */
    async create(
      appId: string,
      { url, events }: BodyOf<"webhooks.create">,
      actor: Actor,
    ): Promise<{ webhook: Webhook; secret: string }> {
      target.check(url, "body.url");
      return await db.write(async (tx) => {
        // Locked, so that the limit holds.
        if (!(await lockApps(tx)).some(({ id }) => id === appId)) throw new AppError("app-not-found");
        if ((await rows.countWebhooks(tx, appId)) >= limits.webhooksMax)
          throw new AppError("too-many-webhooks");
        const nowMs = clock.now();
        const row = {
          id: newId("webhook", nowMs),
          app_id: appId,
          url,
          events: eventsColumn(events),
          off_reason: null,
          failing_since: null,
          created_at: nowMs,
        };
        await rows.insertWebhook(tx, row);
        const secret = await storeSecret(tx, row.id);
        await record(tx, "webhook-created", actor, row);
        return { webhook: await present(tx, row), secret };
      });
    },

    /** Throws `webhook-not-found`, `address-not-allowed` and `fetching-off`. */
    async change(
      appId: string,
      id: string,
      { url, events, is_on: isOn }: BodyOf<"webhooks.change">,
      actor: Actor,
    ): Promise<Webhook> {
      return await db.write(async (tx) => {
        const before = await lock(tx, appId, id);
        if (url !== before.url) target.check(url, "body.url");
        const wasOn = before.off_reason === null;
        const change = {
          url,
          events: eventsColumn(events),
          off_reason: isOn ? null : (before.off_reason ?? ("person" as const)),
          // A new beginning.
          failing_since: isOn && wasOn && url === before.url ? before.failing_since : null,
        };
        await rows.changeWebhook(tx, id, change);
        if (wasOn && !isOn) await deliveryRows.giveUpPending(tx, id);
        await record(tx, "webhook-changed", actor, { ...before, ...change }, { is_on: isOn });
        return await present(tx, before);
      });
    },

    /** Throws `webhook-not-found`. */
    async remove(appId: string, id: string, actor: Actor): Promise<void> {
      await db.write(async (tx) => {
        const row = await lock(tx, appId, id);
        await rows.deleteWebhook(tx, id);
        await record(tx, "webhook-removed", actor, row);
      });
    },

    /** Throws `webhook-not-found` and `secret-not-set`. */
    async rotateSecret(
      appId: string,
      id: string,
      actor: Actor,
    ): Promise<{ webhook: Webhook; secret: string }> {
      return await db.write(async (tx) => {
        const row = await lock(tx, appId, id);
        const secret = await storeSecret(tx, id);
        await record(tx, "webhook-secret-rotated", actor, row);
        return { webhook: await present(tx, row), secret };
      });
    },

    /** Stores a test event and sends it. Throws `webhook-not-found` and `webhook-off`. */
    async test(appId: string, id: string): Promise<string> {
      const eventId = await db.write(async (tx) => {
        const row = await lock(tx, appId, id);
        if (row.off_reason !== null) throw new AppError("webhook-off");
        const nowMs = clock.now();
        const test = newId("webhook", nowMs).replace(/^hook_0/, "test_0");
        await deliveryRows.insertDelivery(tx, {
          ...newDelivery(id, { eventId: test, type: "webhook.test", data: { app_id: appId } }, nowMs),
          is_last: 1,
        });
        return test;
      });
      await begin(id);
      return eventId;
    },

    /** Throws `webhook-not-found`, `bad-cursor`. */
    async deliveries(
      appId: string,
      id: string,
      { after, limit = limits.webhookDeliveryPage }: QueryOf<"webhooks.deliveries">,
    ): Promise<{ deliveries: WebhookDelivery[]; next: string | null }> {
      await requireApp(db.read, appId);
      if ((await rows.findWebhook(db.read, id))?.app_id !== appId) throw new AppError("webhook-not-found");
      const last = after === undefined ? undefined : await deliveryRows.findDelivery(db.read, id, after);
      if (after !== undefined && last === undefined) throw new AppError("bad-cursor");
      const found = await deliveryRows.listDeliveries(db.read, id, {
        before: last?.position,
        limit: limit + 1,
      });
      const { page, next } = pageOf(found.map(presentDelivery), limit);
      return { deliveries: page, next };
    },

    /** Throws `webhook-not-found`, `delivery-not-found` and `webhook-off`. */
    async resend(appId: string, id: string, eventId: string): Promise<void> {
      await db.write(async (tx) => {
        const row = await lock(tx, appId, id);
        const found = await deliveryRows.findDelivery(tx.q, id, eventId);
        if (found === undefined) throw new AppError("delivery-not-found");
        if (row.off_reason !== null) throw new AppError("webhook-off");
        await deliveryRows.changeDelivery(tx, found.position, {
          state: "pending",
          due_at: clock.now(),
          is_last: found.state === "pending" ? found.is_last : 1,
        });
      });
      await begin(id);
    },

    /** In the transaction of an event: stores it for the app's webhooks that chose it. */
    async announce(
      tx: Tx,
      event: { appId: string; eventId: string; type: WebhookEvent; data: JsonObject },
    ): Promise<void> {
      const nowMs = clock.now();
      for (const { id, events, off_reason: reason } of await rows.listWebhooks(tx.q, event.appId, nowMs)) {
        if (reason !== null || !(JSON.parse(events) as string[]).includes(event.type)) continue;
        const data = { app_id: event.appId, ...event.data };
        await deliveryRows.insertDelivery(tx, newDelivery(id, { ...event, data }, nowMs));
      }
    },

    /** Begins a job for each webhook with something that is due. */
    async beginDue(): Promise<void> {
      for (const id of await delivery.findDue()) await begin(id);
    },
    deliver: async ({ webhookId }: { webhookId: string }, _: unknown, signal: AbortSignal): Promise<void> =>
      await delivery.deliverDue(webhookId, signal),

    /** Deletes old deliveries, in batches. */
    deleteOld: async (signal: AbortSignal): Promise<unknown> =>
      await sweep(
        async () =>
          await db.write(
            async (tx) =>
              await deliveryRows.deleteOld(tx, clock.now() - limits.webhookDeliveriesKeptMs, sweepBatch),
          ),
        { size: sweepBatch, clock, signal },
      ),

    /** In the transaction of a claim: deletes what a guest did who now has an account, of which apps learn nothing. */
    move: async (
      tx: Tx,
      { from, to }: { from: { userId: string }; to: { workspaceId: string } },
    ): Promise<void> => await deliveryRows.deleteOfGuest(tx, from.userId, to.workspaceId),
    /** In the transaction of an erasure. */
    erase: async (tx: Tx, { appId, userId }: { appId: string; userId: string }): Promise<void> =>
      await deliveryRows.deleteOfUser(tx, appId, userId),
  };
}

/** In the order of the list, each once. */
function eventsColumn(events: readonly WebhookEvent[]): string {
  return JSON.stringify(webhookEvents.filter((event) => events.includes(event)));
}

function newDelivery(
  webhookId: string,
  { eventId, type, data }: { eventId: string; type: string; data: JsonObject },
  nowMs: number,
) {
  return {
    webhook_id: webhookId,
    event_id: eventId,
    type,
    data: JSON.stringify(data),
    created_at: nowMs,
    due_at: nowMs,
  };
}

function presentWebhook(row: rows.ListedWebhook): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as WebhookEvent[],
    is_on: row.off_reason === null,
    off_reason: row.off_reason,
    failing_since: isoTime(row.failing_since),
    former_secret_until: isoTime(row.former_until),
    created_at: isoTime(row.created_at),
  };
}

function presentDelivery(row: deliveryRows.DeliveryRow): WebhookDelivery {
  return {
    id: row.event_id,
    type: row.type,
    created_at: isoTime(row.created_at),
    data: JSON.parse(row.data) as JsonObject,
    state: row.state,
    attempts: row.attempts,
    last_attempt_at: isoTime(row.last_attempt_at),
    next_attempt_at: row.state === "pending" ? isoTime(row.due_at) : null,
    problem: row.problem,
    response_status: row.response_status,
    response_text: row.response_text,
  };
}
