import { expect } from "vitest";
import * as fc from "fast-check";
import type { FollowEvent } from "../log/follow.ts";
import type { ReaderPlan, WriterStep } from "./log-actors.ts";

export const anyWriterStep: fc.Arbitrary<WriterStep> = fc.record({
  ticks: fc.nat(3),
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

export const anyReaderPlan: fc.Arbitrary<ReaderPlan> = fc.record({
  ticks: fc.nat(10),
  after: fc.nat(6),
  pageSize: fc.integer({ min: 1, max: 4 }),
  slowness: fc.nat(3),
});

/** Checks that the events of a reader continue from its position without a gap. */
export type ReaderChecker = {
  seen: Map<number, string>;
  /** The number of the last entry, or of the last reset. */
  position: number;
  receive(event: FollowEvent, pageSize: number): void;
  /** Resolves when the position is `seq`; rejects when `ended` does. */
  until(seq: number, ended: Promise<unknown>): Promise<void>;
};

export function createReaderChecker(after: number): ReaderChecker {
  let onMove = (): void => {};
  const checker: ReaderChecker = {
    seen: new Map(),
    position: after,
    receive(event, pageSize) {
      if (event.type === "reset") {
        checker.position = event.seq;
      } else {
        expect(event.entries.length).toBeLessThanOrEqual(pageSize);
        for (const { seq, body } of event.entries) {
          expect(seq).toBe(++checker.position);
          checker.seen.set(seq, body);
        }
      }
      onMove();
    },
    async until(seq, ended) {
      while (checker.position !== seq)
        await Promise.race([ended, new Promise<void>((resolve) => (onMove = resolve))]);
    },
  };
  return checker;
}
