import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit, server } from "#server/audit/audit.ts";
import type { GuardedPost } from "#server/fetch/guarded-post.ts";
import { isoTime, type Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { SecretVault } from "#server/sign-in/secret-vault.ts";
import * as deliveryRows from "./delivery-rows.ts";
import type { DeliveryRow } from "./delivery-rows.ts";
import * as rows from "./rows.ts";
import { secretOf, signedHeaders } from "./webhook-secrets.ts";

const [secondMs, minuteMs, hourMs] = [1_000, 60_000, 60 * 60_000];
/** After failures. Together a day; then the delivery has failed. */
const pausesMs = [
  5 * secondMs,
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  8 * hourMs,
  8.5 * hourMs,
];
/** Further than anything is ever due: the clock was wrong, and has been set back. */
const furthestMs = Math.max(...pausesMs);
/** A webhook to which nothing arrived for this long is switched off. */
const offAfterMs = 24 * hourMs;
/** Deliveries that are read at once, and threads whose deliveries are sent at the same time. */
const batch = 100;
const threadsAtOnce = 4;
/** By Standard Webhooks, the target wants nothing more. */
const goneStatus = 410;

type Outcome = Pick<DeliveryRow, "problem" | "response_status" | "response_text">;

/** Sends what is due. */
export function createDelivery(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "warn">;
  vault: SecretVault;
  target: GuardedPost;
}) {
  const { db, clock, logger, vault, target } = options;

  const due = () => ({ nowMs: clock.now(), furthestMs: clock.now() + furthestMs });

  /** Sends a webhook's due deliveries until nothing is due, those of each thread in their order. */
  async function deliverDue(webhookId: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      if ((await rows.findWebhook(db.read, webhookId))?.off_reason !== null) return;
      const found = await deliveryRows.listDue(db.read, webhookId, due(), batch);
      if (found.length === 0) return;
      const threads = [...Map.groupBy(found, (each) => each.thread_id ?? each.event_id).values()];
      const worker = async () => {
        for (let next = threads.shift(); next !== undefined; next = threads.shift())
          await deliverThread(next, signal);
      };
      await Promise.all(Array.from({ length: threadsAtOnce }, worker));
    }
  }

  /** Sends these deliveries of one thread, until one fails. */
  async function deliverThread(deliveries: DeliveryRow[], signal: AbortSignal): Promise<void> {
    const inOrder = deliveries.toSorted((a, b) => a.position - b.position);
    const [head] = inOrder;
    const first = head!.thread_id === null ? undefined : await deliveryRows.findFirstOfThread(db.read, head!);
    if (first !== undefined && first.position < head!.position) {
      // An earlier one waits for its next attempt, or is due but not among these.
      const { nowMs, furthestMs: latestMs } = due();
      const waits = first.due_at > nowMs && first.due_at <= latestMs;
      if (waits) await db.write(async (tx) => await deliveryRows.postponeThread(tx, first, first.due_at));
      else await attempt(first, signal);
      return;
    }
    for (const delivery of inOrder) {
      signal.throwIfAborted();
      if (!(await attempt(delivery, signal))) return;
    }
  }

  /** Returns whether the next one of the thread may follow. */
  async function attempt(delivery: DeliveryRow, signal: AbortSignal): Promise<boolean> {
    const webhook = await rows.findWebhook(db.read, delivery.webhook_id);
    if (webhook === undefined || webhook.off_reason !== null) return false;
    const stored = await rows.findSecrets(db.read, webhook.id, clock.now());
    const secrets = stored.map((row) => secretOf(vault, row)).filter((secret) => secret !== undefined);
    if (secrets.length === 0) {
      await db.write(async (tx) => await switchOff(tx, webhook, "secret-missing"));
      return false;
    }
    const outcome = await send(webhook.url, delivery, secrets, signal);
    return await db.write(async (tx) => await record(tx, delivery, outcome));
  }

  async function send(
    url: string,
    { event_id: id, type, created_at: createdAt, data }: DeliveryRow,
    secrets: string[],
    signal: AbortSignal,
  ): Promise<Outcome> {
    const body = JSON.stringify({ type, timestamp: isoTime(createdAt), data: JSON.parse(data) as unknown });
    const headers = {
      "Content-Type": "application/json",
      ...signedHeaders(secrets, { id, atMs: clock.now(), body }),
    };
    try {
      const { status, text } = await target.post(url, { headers, body, signal });
      return {
        problem: status >= 200 && status <= 299 ? null : "status",
        response_status: status,
        response_text: cleanText(text),
      };
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ err: error, delivery: id }, "a webhook's target did not answer");
      return { problem: problemOf(error), response_status: null, response_text: null };
    }
  }

  async function record(tx: Tx, delivery: DeliveryRow, outcome: Outcome): Promise<boolean> {
    // Not locked: transactions that insert deliveries would wait.
    const webhook = await rows.findWebhook(tx.q, delivery.webhook_id);
    if (webhook === undefined) return false;
    const nowMs = clock.now();
    const isDelivered = outcome.problem === null;
    const isLast = isDelivered || delivery.is_last === 1 || webhook.off_reason !== null;
    const pauseMs = isLast ? undefined : pausesMs[delivery.attempts];
    const dueAt = nowMs + (pauseMs ?? 0);
    await deliveryRows.changeDelivery(tx, delivery.position, {
      ...outcome,
      state: isDelivered ? "delivered" : pauseMs === undefined ? "failed" : "pending",
      attempts: delivery.attempts + 1,
      last_attempt_at: nowMs,
      due_at: dueAt,
    });
    if (isDelivered) {
      if (webhook.failing_since !== null) await rows.changeWebhook(tx, webhook.id, { failing_since: null });
      return true;
    }
    const failingSince = webhook.failing_since ?? nowMs;
    if (webhook.failing_since === null)
      await rows.changeWebhook(tx, webhook.id, { failing_since: failingSince });
    if (outcome.response_status === goneStatus) await switchOff(tx, webhook, "gone");
    else if (nowMs - failingSince >= offAfterMs) await switchOff(tx, webhook, "failing");
    else if (pauseMs !== undefined && delivery.thread_id !== null)
      await deliveryRows.postponeThread(tx, delivery, dueAt);
    return pauseMs === undefined;
  }

  async function switchOff(
    tx: Tx,
    { id, app_id: appId, url }: rows.WebhookRow,
    reason: "failing" | "gone" | "secret-missing",
  ): Promise<void> {
    await rows.changeWebhook(tx, id, { off_reason: reason });
    await deliveryRows.giveUpPending(tx, id);
    const details = { ...detailsOf(appId, url), reason };
    await recordAudit(
      tx,
      { action: "webhook-switched-off", actor: server, target: id, details },
      clock.now(),
    );
    logger.warn({ webhook: id, reason }, "a webhook was switched off");
  }

  return {
    deliverDue,
    /** The webhooks with something that is due, and no job. */
    findDue: async (): Promise<string[]> => await deliveryRows.findDueWebhooks(db.read, due()),
  };
}

/** Without the path of the URL, which can be a secret. */
export function detailsOf(appId: string, url: string): { app: string; host: string } {
  return { app: appId, host: new URL(url).host };
}

function problemOf(error: unknown): "unreachable" | "timeout" {
  // Otherwise the same for an unknown host, a private address and a closed port: it reveals nothing about the network.
  return error instanceof Error && error.name === "TimeoutError" ? "timeout" : "unreachable";
}
