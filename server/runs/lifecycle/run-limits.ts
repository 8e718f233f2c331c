import type { Tx } from "#storage/database/database.ts";
import { AppError } from "#server/lib/errors.ts";
import type { RequestFacts, Visitor } from "#server/lib/route.ts";
import {
  createConcurrencyLimiter,
  retryAfterSeconds,
  type ConcurrencyLimit,
} from "#server/lib/concurrency-limit.ts";
import * as rows from "../rows.ts";

/**
 * Limits the number of concurrent runs, so that one visitor cannot use up the machine or the model's budget. The limit per
 * visitor is counted in the database, across all servers. The limit per address is counted by each server on its own,
 * because addresses are not stored. API keys are the operator's own and have no limit. Once `draining` aborts, no run is
 * started at all.
 */
export type RunLimits = {
  /** In the transaction that stores a new run, before it does. Throws `too-many-runs`. */
  check(tx: Tx, visitor: Visitor): Promise<void>;
  /** Calls `start` and counts its run for the visitor's address until `ended` resolves. Throws `too-many-runs`, `shutting-down`. */
  track<T>(
    visitor: Visitor,
    request: RequestFacts,
    start: () => Promise<T>,
    ended: () => Promise<unknown>,
  ): Promise<T>;
  /**
   * The same for a run that several requests may ask for. It is counted once, and a request that names a counted run is
   * never refused for their number.
   */
  trackRun<T extends { run_id: string }>(
    visitor: Visitor,
    request: RequestFacts,
    run: { runId: string | undefined; start: () => Promise<T>; ended: (runId: string) => Promise<unknown> },
  ): Promise<T>;
};

/** The slot of a run, shared by all requests for it. The last one releases it. */
type SharedSlot = { requests: number; release: () => void };

/** 1 s: by then the client reaches another server, or tries once more. */
const drainingRetrySeconds = 1;

export function createRunLimits(most: ConcurrencyLimit, draining: AbortSignal): RunLimits {
  const limiter = createConcurrencyLimiter("too-many-runs", { ...most, perVisitor: Infinity });
  const shared = new Map<string, SharedSlot>();

  function refuseIfDraining(): void {
    if (draining.aborted) throw new AppError("shutting-down", { retryAfterSeconds: drainingRetrySeconds });
  }

  function join(runId: string): SharedSlot | undefined {
    const slot = shared.get(runId);
    if (slot !== undefined) slot.requests += 1;
    return slot;
  }

  function leave(slot: SharedSlot, runId: string | undefined): void {
    slot.requests -= 1;
    if (slot.requests > 0) return;
    slot.release();
    if (runId !== undefined && shared.get(runId) === slot) shared.delete(runId);
  }

  return {
    async check(tx, visitor) {
      if (visitor.kind === "key") return;
      if ((await rows.countActive(tx, visitor)) >= most.perVisitor)
        throw new AppError("too-many-runs", { retryAfterSeconds });
    },
    async track(visitor, request, start, ended) {
      refuseIfDraining();
      const release = limiter.take(visitor, request);
      try {
        const started = await start();
        void ended().then(release, release);
        return started;
      } catch (error) {
        release();
        throw error;
      }
    },
    async trackRun(visitor, request, { runId: requestedId, start, ended }) {
      refuseIfDraining();
      const joined = requestedId === undefined ? undefined : join(requestedId);
      const slot = joined ?? { requests: 1, release: limiter.take(visitor, request) };
      try {
        const started = await start();
        const { run_id: runId } = started;
        // Another request for the same run may have taken a slot in the meantime.
        const counted = shared.get(runId) === slot ? slot : (join(runId) ?? slot);
        shared.set(runId, counted);
        if (counted !== slot) leave(slot, requestedId);
        const release = () => leave(counted, runId);
        void ended(runId).then(release, release);
        return started;
      } catch (error) {
        leave(slot, requestedId);
        throw error;
      }
    },
  };
}
