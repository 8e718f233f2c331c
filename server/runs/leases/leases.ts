import type { Database } from "#storage/database/database.ts";

/**
 * The owner in the lease of a run whose process shut down and that no other process has taken over yet. To a process of an older
 * version it is a lease that is not renewed.
 */
export const handedOver = "handed-over";

export type Leases = ReturnType<typeof createLeases>;

/**
 * The runs that this process executes. Only their leases are renewed, so that the reaper finds an abandoned run even if
 * this process still runs.
 */
export function createLeases({ processName }: Pick<Database, "processName">) {
  // One symbol per holder: a run may be resumed before its previous execution has released it.
  const holders = new Map<symbol, string>();
  const requests = new Set<string>();
  return {
    /** The name of this process in the leases of its runs. */
    owner: processName,
    /** Adds a run. Call the result when this process no longer executes it. */
    hold(runId: string): () => void {
      const holder = Symbol(runId);
      holders.set(holder, runId);
      return () => void holders.delete(holder);
    },
    /** Adds a reservation of a request outside of runs. Call the result when it has ended. */
    holdRequest(id: string): () => void {
      requests.add(id);
      return () => void requests.delete(id);
    },
    heldRequests: () => [...requests],
    held: () => [...new Set(holders.values())],
    anyHeld: () => holders.size > 0,
  };
}
