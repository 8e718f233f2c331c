import type { Tx } from "#storage/database/database.ts";
import { AppError } from "#server/lib/errors.ts";
import type { RequestFacts, Visitor } from "#server/lib/route.ts";
import { createSlots, slotRetrySeconds, type Most } from "#server/lib/concurrency-limit.ts";
import * as rows from "../rows.ts";

/**
 * Bounds the answers that are written at once, so that one visitor cannot take the machine, or the model's bill, from
 * all others. A visitor's are counted in the database, over all servers; an address's by each server for itself, for
 * addresses are not stored. An API key is the operator's own, and is not counted.
 */
export type RunCaps = {
  /** In the transaction that begins a run, before it does. Throws `too-many-runs`. */
  check(tx: Tx, visitor: Visitor): Promise<void>;
  /** Carries out `begin` and counts what it began for the address until `ended` resolves. Throws `too-many-runs`. */
  during<T>(
    visitor: Visitor,
    request: RequestFacts,
    begin: () => Promise<T>,
    ended: () => Promise<unknown>,
  ): Promise<T>;
  /**
   * The same for a run, which is counted once however often it is asked for. Where the request names it, asking for it
   * again is not refused.
   */
  duringRun<T extends { run_id: string }>(
    visitor: Visitor,
    request: RequestFacts,
    run: { named: string | undefined; begin: () => Promise<T>; ended: (runId: string) => Promise<unknown> },
  ): Promise<T>;
};

/** A run's place, which all who asked for it share: the last of them gives it back. */
type Place = { askers: number; release: () => void };

export function createRunCaps(most: Most): RunCaps {
  const slots = createSlots("too-many-runs", { ...most, perVisitor: Infinity });
  const places = new Map<string, Place>();

  function join(runId: string): Place | undefined {
    const place = places.get(runId);
    if (place !== undefined) place.askers += 1;
    return place;
  }

  function leave(place: Place, runId: string | undefined): void {
    place.askers -= 1;
    if (place.askers > 0) return;
    place.release();
    if (runId !== undefined && places.get(runId) === place) places.delete(runId);
  }

  return {
    async check(tx, visitor) {
      if (visitor.kind === "key") return;
      if ((await rows.countAlive(tx, visitor)) >= most.perVisitor)
        throw new AppError("too-many-runs", { retryAfterSeconds: slotRetrySeconds });
    },
    async during(visitor, request, begin, ended) {
      const release = slots.take(visitor, request);
      try {
        const begun = await begin();
        void ended().then(release, release);
        return begun;
      } catch (error) {
        release();
        throw error;
      }
    },
    async duringRun(visitor, request, { named, begin, ended }) {
      const shared = named === undefined ? undefined : join(named);
      const place = shared ?? { askers: 1, release: slots.take(visitor, request) };
      try {
        const begun = await begin();
        const { run_id: runId } = begun;
        // Somebody else may have asked for it meanwhile.
        const counted = places.get(runId) === place ? place : (join(runId) ?? place);
        places.set(runId, counted);
        if (counted !== place) leave(place, named);
        const left = () => leave(counted, runId);
        void ended(runId).then(left, left);
        return begun;
      } catch (error) {
        leave(place, named);
        throw error;
      }
    },
  };
}
