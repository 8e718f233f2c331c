import type { Database } from "#storage/database/database.ts";
import { deleteOldAuditEntries, recordAudit, type Actor } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";

const dayMs = 24 * 3_600_000;

/** How long entries of the audit log are kept. */
export type AuditRetention = ReturnType<typeof createAuditRetention>;

/** `defaultMs`: the operator's setting, while nobody has chosen anything. `undefined` keeps them forever. */
export function createAuditRetention(options: { db: Database; clock: Clock; defaultMs: number | undefined }) {
  const { db, clock, defaultMs } = options;

  /** Days; `null` for ever. */
  async function get(): Promise<number | null> {
    const row = await db.read.selectFrom("auth_settings").select("keep_audit_days").executeTakeFirst();
    const chosen = row?.keep_audit_days ?? (defaultMs ?? 0) / dayMs;
    return chosen === 0 ? null : chosen;
  }

  return {
    get,

    async put(days: number | null, actor: Actor): Promise<void> {
      const before = await get();
      await db.write(async (tx) => {
        const nowMs = clock.now();
        const changed = { keep_audit_days: days ?? 0, updated_at: nowMs };
        await tx.q
          .insertInto("auth_settings")
          // The other settings as they are before the first change.
          .values({ id: "server", joining: "invitation", guests: 1, email_domains: "[]", ...changed })
          .onConflict((conflict) => conflict.column("id").doUpdateSet(changed))
          .execute();
        const details = { from: before, to: days };
        await recordAudit(tx, { action: "audit-retention-changed", actor, details }, nowMs);
      });
    },

    /** Deletes the entries that are too old. Returns their number. */
    async sweep(signal: AbortSignal): Promise<number> {
      const days = await get();
      return days === null ? 0 : await deleteOldAuditEntries({ db, clock, keepMs: days * dayMs }, signal);
    },
  };
}
