import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import type { Leases } from "./leases.ts";
import * as rows from "../rows.ts";

/** The leases of others as they were seen last, and since when they have stood still. */
export type Watched = Map<string, { lease: string; sinceMs: number }>;

/**
 * The runs that nobody carries any more: their lease stood still for as long as one lasts, while we looked. The moment
 * that is written in a lease is its owner's clock, which may be an hour from ours; that it moves is what counts. Our
 * own are never among them. With `alsoOthers` all that are another's are, at once.
 */
export async function findStale(
  watched: Watched,
  options: { db: Database; clock: SteadyClock; leases: Leases; alsoOthers: boolean },
): Promise<rows.Lease[]> {
  const { clock, leases } = options;
  const askedMs = clock.elapsedMs();
  const standing = await rows.findLeases(options.db).catch((error: unknown) => {
    watched.clear();
    throw error;
  });
  const nowMs = clock.elapsedMs();
  // Who could not be asked could not be told either: everyone gets their time anew.
  if (nowMs - askedMs > limits.runHeartbeatMs) watched.clear();
  const held = new Set(leases.held());
  const others = standing.filter(({ id }) => !held.has(id));
  const stale = others.filter(({ id, lease_owner: owner, lease_expires_at: expiresAt }) => {
    if (options.alsoOthers && owner !== leases.owner) return true;
    const lease = `${owner} ${expiresAt}`;
    const before = watched.get(id);
    if (before?.lease === lease) return nowMs - before.sinceMs >= limits.runLeaseMs;
    watched.set(id, { lease, sinceMs: nowMs });
    return false;
  });
  const known = new Set(others.map(({ id }) => id));
  for (const id of watched.keys()) if (!known.has(id)) watched.delete(id);
  return stale;
}
