import { operator, recordAudit, type AuditEntry } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Database } from "#storage/database/database.ts";

/** Writes what the operator did on the server's machine to the audit log. */
export async function recordCommand(
  db: Database,
  clock: Clock,
  entry: Omit<AuditEntry, "actor">,
): Promise<void> {
  await db.write(async (tx) => await recordAudit(tx, { ...entry, actor: operator }, clock.now()));
}
