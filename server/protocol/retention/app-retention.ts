import { isDeepStrictEqual } from "node:util";
import type { QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type {
  Retention as Presented,
  RetentionPreview,
  RetentionRules,
} from "#contract/retention/endpoints.ts";
import type { Database } from "#storage/database/database.ts";
import { createApps } from "#server/apps/apps.ts";
import { findRetention, rulesAt, type RetentionRow } from "#server/apps/retention-rules.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { isoTime, type Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import * as rows from "./rows.ts";

export const dayMs = 24 * 3_600_000;

export type Retention = ReturnType<typeof createRetention>;

/** How long what an app stores is kept. Every function throws `app-not-found`. */
export function createRetention({ db, clock }: { db: Database; clock: Clock }) {
  const apps = createApps({ db, clock });

  return {
    async get(appId: string): Promise<Presented> {
      await apps.get(appId);
      return present(await findRetention(db.read, appId), clock.now());
    },

    /** Rules that keep more apply at once, and those that delete more a day later. The change is in the audit log. */
    async put(appId: string, wanted: RetentionRules, actor: Actor): Promise<Presented> {
      return await db.write(async (tx) => {
        if (!(await rows.lockApp(tx, appId))) throw new AppError("app-not-found");
        const nowMs = clock.now();
        const before = await findRetention(tx.q, appId);
        const earlier = present(before, nowMs);
        const rules = longer(rulesOf(earlier), wanted);
        const isWaiting = !isDeepStrictEqual(rules, wanted);
        // A second request does not begin to wait again.
        const isSame = earlier.next !== null && isDeepStrictEqual(rulesOf(earlier.next), wanted);
        const after = {
          app_id: appId,
          rules: JSON.stringify(rules),
          next_rules: isWaiting ? JSON.stringify(wanted) : null,
          next_at: !isWaiting ? null : isSame ? before!.next_at : nowMs + limits.retentionDelayMs,
          // What came later to older runs is looked at again.
          emptied_until: 0,
        };
        const presented = present(after, nowMs);
        if (isDeepStrictEqual(presented, earlier)) return earlier;
        await rows.putRetention(tx, after);
        const details = {
          from: rulesOf(earlier),
          to: wanted,
          takes_effect_at: presented.next?.takes_effect_at ?? null,
        };
        await recordAudit(tx, { action: "app-retention-changed", actor, target: appId, details }, nowMs);
        return presented;
      });
    },

    async preview(
      appId: string,
      { keep_threads_days: threads, keep_span_texts_days: spans }: QueryOf<"console.previewRetention">,
    ): Promise<RetentionPreview> {
      await apps.get(appId);
      const fromMs = clock.now() + limits.retentionDelayMs;
      const before = (days: number | undefined) => (days === undefined ? 0 : fromMs - days * dayMs);
      return await rows.countOld(db, appId, {
        threadsBeforeMs: before(threads),
        spansBeforeMs: before(spans),
      });
    },
  };
}

function present(row: RetentionRow | undefined, nowMs: number): Presented {
  const isWaiting = row !== undefined && row.next_rules !== null && row.next_at! > nowMs;
  return {
    ...rulesAt(row, nowMs),
    next: isWaiting ? { ...rulesAt(row, row.next_at!), takes_effect_at: isoTime(row.next_at!) } : null,
  };
}

function rulesOf({
  keep_threads_days,
  keep_span_texts_days,
  keep_steps_days,
}: RetentionRules): RetentionRules {
  return { keep_threads_days, keep_span_texts_days, keep_steps_days };
}

/** Of each rule, the one that keeps more. */
function longer(a: RetentionRules, b: RetentionRules): RetentionRules {
  const max = (one: number | null, other: number | null) =>
    one === null || other === null ? null : Math.max(one, other);
  // Without a number, no steps are kept.
  const stepsDays = Math.max(a.keep_steps_days ?? 0, b.keep_steps_days ?? 0);
  return {
    keep_threads_days: max(a.keep_threads_days, b.keep_threads_days),
    keep_span_texts_days: max(a.keep_span_texts_days, b.keep_span_texts_days),
    keep_steps_days: stepsDays === 0 ? null : stepsDays,
  };
}
