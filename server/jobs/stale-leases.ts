import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { SteadyClock } from "../lib/clock.ts";

/** What a process works on, until its lease is no longer renewed. */
export type Lease = { id: string; lease_owner: string | null; lease_expires_at: number | null };

/**
 * Finds the leases of dead processes: of those that the database knows to have ended, and those that did not change for the
 * duration of a lease while this process observed them. The expiry time in a lease is not used, because the clocks of two
 * machines may differ by an hour.
 */
export function createStaleLeases({ db, clock }: { db: Database; clock: SteadyClock }) {
  /** The last seen lease of each id, and since when it has not changed. */
  const observed = new Map<string, { lease: string; sinceMs: number }>();

  return {
    /** The stale ones of all present leases of other processes, which `read` returns. Those that `isReleased` are stale at once. */
    async find<L extends Lease>(
      read: () => Promise<L[]>,
      isReleased: (lease: L) => boolean = () => false,
    ): Promise<L[]> {
      try {
        const startedMs = clock.elapsedMs();
        const others = await read();
        const nowMs = clock.elapsedMs();
        // While the database did not answer, other processes could not renew their leases either.
        if (nowMs - startedMs > limits.runHeartbeatMs) observed.clear();
        const known = new Set(others.map(({ id }) => id));
        for (const id of observed.keys()) if (!known.has(id)) observed.delete(id);
        const owners = new Set(others.flatMap((lease) => lease.lease_owner ?? []));
        const ended = await db.findEndedProcesses([...owners]);
        return others.filter((each) => {
          const { id, lease_owner: owner, lease_expires_at: expiresAt } = each;
          if (isReleased(each) || (owner !== null && ended.has(owner))) return true;
          const lease = `${owner} ${expiresAt}`;
          const before = observed.get(id);
          if (before?.lease === lease) return nowMs - before.sinceMs >= limits.runLeaseMs;
          observed.set(id, { lease, sinceMs: nowMs });
          return false;
        });
      } catch (error) {
        observed.clear();
        throw error;
      }
    },
  };
}
