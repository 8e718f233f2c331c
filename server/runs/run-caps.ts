import type { Tx } from "#storage/sql/database.ts";
import { AppError } from "../errors.ts";
import type { RequestFacts, Visitor } from "../route.ts";
import { createSlots, slotRetrySeconds, type Most } from "../slots.ts";
import * as rows from "./rows.ts";

/**
 * Bounds the answers that are written at once, so that one visitor cannot take the machine, or the model's bill, from
 * all others. A visitor's are counted in the database, over all servers; an address's by each server for itself, for
 * addresses are not stored. An API key is the operator's own, and is not counted.
 */
export type RunCaps = {
  /** In the transaction that begins a run, before it does. Throws `too-many-runs`. */
  check(tx: Tx, visitor: Visitor): Promise<void>;
  /** Carries out `begin` and counts the run for the address until `ended` of it resolves. Throws `too-many-runs`. */
  during<T>(
    visitor: Visitor,
    request: RequestFacts,
    begin: () => Promise<T>,
    ended: (begun: T) => Promise<unknown>,
  ): Promise<T>;
};

export function createRunCaps(most: Most): RunCaps {
  const slots = createSlots("too-many-runs", { ...most, perVisitor: Infinity });
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
        void ended(begun).then(release, release);
        return begun;
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
