import type { AuditAction } from "#contract/accounts/audit-actions.ts";
import type { AlertRule, AlertRulePut } from "#contract/alerts/endpoints.ts";
import type { LanguageTag } from "#contract/i18n/languages.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { findApp, lockApps } from "#server/apps/rows.ts";
import type { Webhooks } from "#server/apps/webhooks/webhooks.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { Jobs } from "#server/jobs/jobs.ts";
import { isoTime, type Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Mail } from "#server/people/mail/mail.ts";
import * as rows from "./rows.ts";

const minuteMs = 60_000;
/** An e-mail that the mail server has not taken for this long is not sent. */
const mailKeptMs = 60 * minuteMs;

export type Alerts = ReturnType<typeof createAlerts>;

/** Rules that watch the runs of apps. Functions about one app throw `app-not-found`. */
export function createAlerts({
  db,
  clock,
  jobs,
  webhooks,
  mail,
  publicUrl,
}: {
  db: Database;
  clock: Clock;
  jobs: Pick<Jobs, "add">;
  webhooks: Pick<Webhooks, "announce">;
  mail: Pick<Mail, "isSet" | "deliver">;
  publicUrl: string | undefined;
}) {
  /** Locks the rule. Throws `alert-rule-not-found`. */
  async function lock(tx: Tx, appId: string, id: string): Promise<rows.RuleRow> {
    if ((await findApp({ read: tx.q }, appId)) === undefined) throw new AppError("app-not-found");
    const row = await rows.lockRule(tx, id);
    if (row?.app_id !== appId) throw new AppError("alert-rule-not-found");
    return row;
  }

  async function record(tx: Tx, action: AuditAction, actor: Actor, row: rows.RuleRow): Promise<void> {
    const { app_id: app, kind, threshold, window_minutes: minutes, is_on: isOn } = row;
    const details = { app, kind, threshold, window_minutes: minutes, is_on: isOn === 1 };
    await recordAudit(tx, { action, actor, target: row.id, details }, clock.now());
  }

  /** What the columns of a new or changed rule are: there is no alert, and it is measured at once. */
  function columnsOf(body: AlertRulePut) {
    const isSilence = body.kind === "silence";
    if (!isSilence && body.threshold === null) throw badRequest("body.threshold", "must be a number");
    if (body.kind === "error-rate" && body.threshold! > 100)
      throw badRequest("body.threshold", "must be at most 100, in percent");
    if (!isSilence && body.window_minutes > limits.alertWindowMinutesMax)
      throw badRequest(
        "body.window_minutes",
        `must be at most ${limits.alertWindowMinutesMax}, except for a silence`,
      );
    return {
      kind: body.kind,
      threshold: isSilence ? null : body.threshold,
      window_minutes: body.window_minutes,
      email: body.email,
      language: body.language,
      is_on: body.is_on ? 1 : 0,
      changed_at: clock.now(),
      due_at: clock.now(),
      checked_at: null,
      value: null,
      alert_since: null,
      calm_since: null,
      mail_due: null,
      mail_due_since: null,
    };
  }

  /** What the rule is about now, and whether that exceeds its limit. */
  async function measure(rule: rows.RuleRow): Promise<{ value: number | null; isExceeded: boolean }> {
    const { app_id: appId, kind, threshold, window_minutes: minutes, changed_at: changedAt } = rule;
    const sinceMs = clock.now() - minutes * minuteMs;
    const { begun, ended, failed, micros } = await rows.sumRuns(db.readWorker, appId, sinceMs);
    if (kind === "silence") return { value: null, isExceeded: begun === 0 && changedAt <= sinceMs };
    const value = await valueOf();
    return { value, isExceeded: value !== null && value > threshold! };

    async function valueOf(): Promise<number | null> {
      if (kind === "cost") return micros / 1e6;
      if (ended < limits.alertRunsMin) return null;
      if (kind === "error-rate") return (100 * failed) / ended;
      // The nearest rank: 95 of 100 runs did not take longer.
      const place = Math.ceil(0.95 * ended) - 1;
      return ((await rows.findDurationMs(db.readWorker, appId, sinceMs, place)) ?? 0) / 1_000;
    }
  }

  /** Measures a rule, and announces an alert that begins or is over, in one transaction. */
  async function check(id: string): Promise<rows.RuleRow | undefined> {
    const before = await db.write(async (tx) => await rows.lockRule(tx, id));
    if (before === undefined || before.is_on === 0) return undefined;
    const { value, isExceeded } = await measure(before);
    return await db.write(async (tx) => {
      const rule = await rows.lockRule(tx, id);
      if (rule === undefined || rule.changed_at !== before.changed_at) return undefined;
      const nowMs = clock.now();
      const calmSince = isExceeded ? null : (rule.calm_since ?? nowMs);
      const begins = isExceeded && rule.alert_since === null;
      const isOver =
        rule.alert_since !== null && calmSince !== null && nowMs - calmSince >= limits.alertCalmMs;
      const message = begins ? ("started" as const) : isOver ? ("ended" as const) : undefined;
      const change = {
        value,
        checked_at: nowMs,
        due_at: nowMs + minuteMs,
        calm_since: calmSince,
        alert_since: begins ? nowMs : isOver ? null : rule.alert_since,
        ...(message !== undefined && rule.email !== null ? { mail_due: message, mail_due_since: nowMs } : {}),
      };
      await rows.changeRule(tx, id, change);
      if (message !== undefined)
        await webhooks.announce(tx, {
          appId: rule.app_id,
          eventId: `${id}-${nowMs}-${message}`,
          type: `alert.${message}`,
          data: { alert_rule_id: id },
        });
      return { ...rule, ...change };
    });
  }

  /** Sends the e-mail that is due. If the mail server does not take it, the next check tries again. */
  async function sendMail({ id, ...rule }: rows.RuleRow): Promise<void> {
    const { mail_due: due, mail_due_since: since, email } = rule;
    if (due === null || email === null) return;
    const app = (await findApp(db, rule.app_id))?.name ?? "";
    const isSent =
      publicUrl !== undefined &&
      (await mail.deliver(email, {
        kind: due === "ended" ? "alert-ended" : `alert-${rule.kind}`,
        language: rule.language as LanguageTag,
        server: new URL(publicUrl).host,
        app,
        minutes: String(rule.window_minutes),
        value: numberText(rule.value),
        limit: numberText(rule.threshold),
        link: `${publicUrl.replace(/\/$/, "")}/admin/apps/${rule.app_id}/alerts`,
      }));
    const isTooOld = since === null || clock.now() - since > mailKeptMs;
    if (isSent || isTooOld || !(await mail.isSet()))
      await db.write(async (tx) => {
        const now = await rows.lockRule(tx, id);
        if (now?.mail_due === due && now.mail_due_since === since)
          await rows.changeRule(tx, id, { mail_due: null, mail_due_since: null });
      });
  }

  const listDue = async (): Promise<rows.RuleRow[]> =>
    await rows.listDueRules(db.read, { nowMs: clock.now(), furthestMs: clock.now() + 10 * minuteMs });

  return {
    async list(appId: string): Promise<{ rules: AlertRule[]; mail_is_set: boolean }> {
      if ((await findApp(db, appId)) === undefined) throw new AppError("app-not-found");
      const rules = await rows.listRules(db.read, appId);
      return { rules: rules.map(presentRule), mail_is_set: await mail.isSet() };
    },

    /** Throws `too-many-alert-rules`. */
    async create(appId: string, body: AlertRulePut, actor: Actor): Promise<AlertRule> {
      return await db.write(async (tx) => {
        // Locked, so that the limit holds.
        if (!(await lockApps(tx)).some(({ id }) => id === appId)) throw new AppError("app-not-found");
        if ((await rows.listRules(tx.q, appId)).length >= limits.alertRulesMax)
          throw new AppError("too-many-alert-rules");
        const nowMs = clock.now();
        const row = {
          id: newId("alertRule", nowMs),
          app_id: appId,
          ...columnsOf(body),
          created_at: nowMs,
        };
        await rows.insertRule(tx, row);
        await record(tx, "alert-rule-created", actor, row);
        return presentRule(row);
      });
    },

    /** Throws `alert-rule-not-found`. */
    async change(appId: string, id: string, body: AlertRulePut, actor: Actor): Promise<AlertRule> {
      return await db.write(async (tx) => {
        const before = await lock(tx, appId, id);
        const change = columnsOf(body);
        await rows.changeRule(tx, id, change);
        await record(tx, "alert-rule-changed", actor, { ...before, ...change });
        return presentRule({ ...before, ...change });
      });
    },

    /** Throws `alert-rule-not-found`. */
    async remove(appId: string, id: string, actor: Actor): Promise<void> {
      await db.write(async (tx) => {
        const row = await lock(tx, appId, id);
        await rows.deleteRule(tx, id);
        await record(tx, "alert-rule-removed", actor, row);
      });
    },

    /** Begins the job that checks rules, if some are due. One server does it. */
    async beginDue(): Promise<void> {
      if ((await listDue()).length > 0) await jobs.add("alerts", "due", null, {});
    },
    /** Checks what is due. */
    async checkDue(_: null, __: unknown, signal: AbortSignal): Promise<void> {
      const checked: rows.RuleRow[] = [];
      for (const { id } of await listDue()) {
        signal.throwIfAborted();
        const rule = await check(id);
        if (rule !== undefined) checked.push(rule);
      }
      // Afterwards and together: a mail server that hangs delays no other rule.
      await Promise.all(checked.map(sendMail));
    },
  };
}

function numberText(value: number | null): string {
  return value === null ? "" : String(Math.round(value * 100) / 100);
}

function presentRule(row: rows.RuleRow): AlertRule {
  return {
    id: row.id,
    kind: row.kind,
    threshold: row.threshold,
    window_minutes: row.window_minutes,
    email: row.email,
    language: row.language as LanguageTag,
    is_on: row.is_on === 1,
    alert_since: isoTime(row.alert_since),
    value: row.value,
    checked_at: isoTime(row.checked_at),
    created_at: isoTime(row.created_at),
  };
}
