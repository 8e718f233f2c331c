import { expect } from "vitest";
import * as fc from "fast-check";
import type { Followed } from "../log/follow.ts";
import type { Deed, Pace } from "./log-players.ts";

export const someDeed: fc.Arbitrary<Deed> = fc.record({
  turns: fc.nat(3),
  what: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant("append" as const),
        counts: fc.array(fc.nat(3), { maxLength: 2 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("prune" as const), back: fc.nat(4) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("fail" as const) }) },
  ),
});

export const somePace: fc.Arbitrary<Pace> = fc.record({
  turns: fc.nat(10),
  after: fc.nat(6),
  pageSize: fc.integer({ min: 1, max: 4 }),
  slowness: fc.nat(3),
});

/** Whoever hears what one reader was told, and holds it to going on from its place without a gap. */
export type Witness = {
  seen: Map<number, string>;
  /** Where it stands: what it read last, or was told to go on from. */
  position: number;
  hear(followed: Followed, pageSize: number): void;
  /** Resolves when it stands at `seq`; rejects when `ended` does. */
  until(seq: number, ended: Promise<unknown>): Promise<void>;
};

export function createWitness(after: number): Witness {
  let moved = (): void => {};
  const witness: Witness = {
    seen: new Map(),
    position: after,
    hear(followed, pageSize) {
      if (followed.type === "reset") {
        witness.position = followed.seq;
      } else {
        expect(followed.entries.length).toBeLessThanOrEqual(pageSize);
        for (const { seq, body } of followed.entries) {
          expect(seq).toBe(++witness.position);
          witness.seen.set(seq, body);
        }
      }
      moved();
    },
    async until(seq, ended) {
      while (witness.position !== seq)
        await Promise.race([ended, new Promise<void>((resolve) => (moved = resolve))]);
    },
  };
  return witness;
}
