import { newId } from "#contract/ids.ts";
import type { Clock } from "#server/lib/clock.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import type { RequestFacts, Visitor } from "#server/lib/route.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { AuditAction } from "#contract/accounts/audit-actions.ts";
import type { JsonObject } from "#contract/json.ts";

/** Who did something, and from which network address. */
export type Actor = { id: string; address?: string };

/** The person of a call. */
export function actorOf({ visitor, request }: Call): Actor {
  return { id: visitor.userId, address: request.limitKey };
}

type Call = { visitor: Pick<Visitor, "userId">; request: Pick<RequestFacts, "limitKey"> };

/** The actor of commands on the server's machine. */
export const operator: Actor = { id: "operator" };

/** What the server does on its own. */
export const server: Actor = { id: "server" };

/** Somebody who has not signed in. */
export const unknownActor = (address: string): Actor => ({ id: "unknown", address });

/** One entry of the audit log. It has people's ids and not their names, so that nothing of a deleted person stays. */
export type AuditEntry = {
  action: AuditAction;
  actor: Actor;
  /** The id of the person or thing that it was done to, if that is not the actor. */
  target?: string;
  details?: JsonObject;
};

/** Appends an entry in the transaction of the action itself, so that neither exists without the other. */
export async function recordAudit(tx: Tx, entry: AuditEntry, nowMs: number): Promise<void> {
  await tx.q
    .insertInto("audit_entries")
    .values({
      id: newId("audit", nowMs),
      at: nowMs,
      action: entry.action,
      actor: entry.actor.id,
      target: entry.target ?? null,
      address: entry.actor.address ?? null,
      details: entry.details === undefined ? null : JSON.stringify(entry.details),
    })
    .execute();
}

const sweepBatch = 200;

/** Deletes entries that are older than `keepMs`, in batches. Returns their number. */
export async function deleteOldAuditEntries(
  { db, clock, keepMs }: { db: Database; clock: Clock; keepMs: number },
  signal: AbortSignal,
): Promise<number> {
  const batch = async () =>
    await db.write(async (tx) => {
      const old = tx.q
        .selectFrom("audit_entries")
        .select("id")
        .where("at", "<", clock.now() - keepMs)
        .orderBy("at")
        .limit(sweepBatch);
      const deleted = await tx.q.deleteFrom("audit_entries").where("id", "in", old).executeTakeFirstOrThrow();
      return Number(deleted.numDeletedRows);
    });
  return await sweep(batch, { size: sweepBatch, clock, signal });
}
