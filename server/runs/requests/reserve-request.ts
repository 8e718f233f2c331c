import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Asker, Budgets, Estimate } from "#server/people/budgets/budgets.ts";
import { deleteReservation, putReservation } from "#server/people/budgets/reservation-rows.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Database } from "#storage/database/database.ts";
import type { Leases } from "../leases/leases.ts";

/**
 * Reserves the estimate for a request to a model outside of runs. Call the result when its tokens are stored. If the
 * process dies before that, the reaper ends the reservation with its lease. Throws `budget-used` and `budget-wait`.
 */
export type ReserveRequest = (asker: Asker, estimate: Estimate | undefined) => Promise<() => Promise<void>>;

export function createReserveRequest(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "warn">;
  leases: Leases;
  budgets: Pick<Budgets, "reserveIn">;
}): ReserveRequest {
  const { db, clock, logger, leases, budgets } = options;
  return async ({ userId, workspaceId, appId }, estimate) => {
    if (estimate === undefined) return async () => {};
    const asker = { userId, workspaceId, appId };
    const nowMs = clock.now();
    const id = newId("request", nowMs);
    const isReserved = await db.write(async (tx) => {
      const reserved = await budgets.reserveIn(tx, asker, estimate);
      if (reserved === undefined) return false;
      await putReservation(tx, {
        id,
        app_id: appId,
        workspace_id: workspaceId,
        user_id: userId,
        tokens: reserved.tokens,
        cost_micros: reserved.costMicros,
        lease_owner: leases.owner,
        lease_expires_at: nowMs + limits.runLeaseMs,
      });
      return true;
    });
    if (!isReserved) return async () => {};
    const release = leases.holdRequest(id);
    return async () => {
      release();
      await db
        .write(async (tx) => await deleteReservation(tx, { id }))
        .catch((error: unknown) => logger.warn({ err: error }, "could not end a reservation of a budget"));
    };
  };
}
