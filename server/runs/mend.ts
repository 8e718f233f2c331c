import type { Tx } from "#storage/sql/database.ts";

/**
 * In a transaction of the doctor's: leases of runs that ended are taken away, and a run under way that nobody holds gets
 * one that is over, so that the next server ends it and keeps what it said.
 */
export async function mendLeases(tx: Tx, nowMs: number): Promise<Record<string, number>> {
  const over = await tx.q
    .updateTable("runs")
    .set({ lease_owner: null, lease_expires_at: null })
    .where("ended_at", "is not", null)
    .where("lease_owner", "is not", null)
    .executeTakeFirstOrThrow();
  const unheld = await tx.q
    .updateTable("runs")
    .set({ lease_owner: "nobody", lease_expires_at: nowMs - 1 })
    .where("ended_at", "is", null)
    .where("state", "=", "running")
    .where((is) => is.or([is("lease_owner", "is", null), is("lease_expires_at", "is", null)]))
    .executeTakeFirstOrThrow();
  return {
    "leases of ended runs taken away": Number(over.numUpdatedRows),
    "runs given to the next server to end": Number(unheld.numUpdatedRows),
  };
}
