import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import type { Leases } from "./leases.ts";
import * as rows from "../rows.ts";

/** The last seen lease of each run of another process, and since when it has not changed. */
export type ObservedLeases = Map<string, { lease: string; sinceMs: number }>;

/**
 * The runs of dead processes: their lease did not change for the duration of a lease while this process observed it. The
 * expiry time in a lease is not used, because the clocks of two machines may differ by an hour. Runs of this process are
 * never stale. With `alsoOthers`, all runs of other processes are stale immediately.
 */
export async function findStale(
  observed: ObservedLeases,
  options: { db: Database; clock: SteadyClock; leases: Leases; alsoOthers: boolean },
): Promise<rows.Lease[]> {
  const { clock, leases } = options;
  const startedMs = clock.elapsedMs();
  const current = await rows.findLeases(options.db).catch((error: unknown) => {
    observed.clear();
    throw error;
  });
  const nowMs = clock.elapsedMs();
  // While the database did not answer, other processes could not renew their leases either.
  if (nowMs - startedMs > limits.runHeartbeatMs) observed.clear();
  const held = new Set(leases.held());
  const others = current.filter(({ id }) => !held.has(id));
  const stale = others.filter(({ id, lease_owner: owner, lease_expires_at: expiresAt }) => {
    if (options.alsoOthers && owner !== leases.owner) return true;
    const lease = `${owner} ${expiresAt}`;
    const before = observed.get(id);
    if (before?.lease === lease) return nowMs - before.sinceMs >= limits.runLeaseMs;
    observed.set(id, { lease, sinceMs: nowMs });
    return false;
  });
  const known = new Set(others.map(({ id }) => id));
  for (const id of observed.keys()) if (!known.has(id)) observed.delete(id);
  return stale;
}
