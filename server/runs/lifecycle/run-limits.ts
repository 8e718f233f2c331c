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
 * Limits the number of concurrent runs, so that one visitor cannot use up the machine or the model's budget. The limit
 * per visitor is counted in the database, across all servers. The limit per address is counted by each server on its
 * own, because addresses are not stored. API keys are the operator's own and have no limit. Once `draining` aborts, no
 * run is started at all.
 */
export type RunLimits = {
  /** In the transaction that stores a new run, before it does. Throws `too-many-runs`. */
  check(tx: Tx, visitor: Visitor): Promise<void>;
  /**
   * Calls `start`, which starts `count` runs, by default one, and counts each for the visitor's address until its `ended`
   * resolves. Throws `too-many-runs`, `shutting-down`.
   */
  track<T>(
    visitor: Visitor,
    request: RequestFacts,
    runs: {
      count?: number;
      start: () => Promise<T>;
      ended: (started: T, index: number) => Promise<unknown>;
    },
  ): Promise<T>;
  /**
   * Like `track`, for a run that several requests may ask for. It is counted once, and a request that names a counted
   * run is never refused.
   */
  trackRun<T extends { run_id: string }>(
    visitor: Visitor,
    request: RequestFacts,
    run: { runId: string | undefined; start: () => Promise<T>; ended: (runId: string) => Promise<unknown> },
  ): Promise<T>;
};

/** A run that is counted once for all requests that ask for it. The last one releases it. */
type CountedRun = { requests: number; release: () => void };

/** 1 s: by then the client reaches another server, or tries again. */
const drainingRetrySeconds = 1;

export function createRunLimits(most: ConcurrencyLimit, draining: AbortSignal): RunLimits {
  const limiter = createConcurrencyLimiter("too-many-runs", { ...most, perVisitor: Infinity });
  const countedRuns = new Map<string, CountedRun>();

  function refuseIfDraining(): void {
    if (draining.aborted) throw new AppError("shutting-down", { retryAfterSeconds: drainingRetrySeconds });
  }

  function addRequest(runId: string): CountedRun | undefined {
    const run = countedRuns.get(runId);
    if (run !== undefined) run.requests += 1;
    return run;
  }

  function removeRequest(run: CountedRun, runId: string | undefined): void {
    run.requests -= 1;
    if (run.requests > 0) return;
    run.release();
    if (runId !== undefined && countedRuns.get(runId) === run) countedRuns.delete(runId);
  }

  return {
    async check(tx, visitor) {
      if (visitor.kind === "key") return;
      if ((await rows.countActive(tx, visitor)) >= most.perVisitor)
        throw new AppError("too-many-runs", { retryAfterSeconds });
    },
    async track(visitor, request, { count = 1, start, ended }) {
      refuseIfDraining();
      const taken: (() => void)[] = [];
      try {
        while (taken.length < count) taken.push(limiter.take(visitor, request));
        const started = await start();
        for (const [index, release] of taken.entries()) void ended(started, index).then(release, release);
        return started;
      } catch (error) {
        for (const release of taken) release();
        throw error;
      }
    },
    async trackRun(visitor, request, { runId: requestedId, start, ended }) {
      refuseIfDraining();
      const known = requestedId === undefined ? undefined : addRequest(requestedId);
      const own = known ?? { requests: 1, release: limiter.take(visitor, request) };
      try {
        const started = await start();
        const { run_id: runId } = started;
        // Another request for the same run may have counted it in the meantime.
        const counted = countedRuns.get(runId) === own ? own : (addRequest(runId) ?? own);
        countedRuns.set(runId, counted);
        if (counted !== own) removeRequest(own, requestedId);
        const release = () => removeRequest(counted, runId);
        void ended(runId).then(release, release);
        return started;
      } catch (error) {
        removeRequest(own, requestedId);
        throw error;
      }
    },
  };
}
