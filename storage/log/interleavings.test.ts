import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Database } from "../sql/database.ts";
import { describeEveryEngine } from "../testing/engines.ts";
import { follow } from "./follow.ts";
import { append, lastSeq } from "./log.ts";
import { prune } from "./prune.ts";

/** What somebody does, and after how many turns of the event loop. */
const deed = fc.record({
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
const reader = fc.record({
  turns: fc.nat(10),
  after: fc.nat(6),
  pageSize: fc.integer({ min: 1, max: 4 }),
  slowness: fc.nat(3),
});
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;
type Reader = typeof reader extends fc.Arbitrary<infer T> ? T : never;

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

describeEveryEngine("any interleaving of writers, readers and pruning", (open, engine) => {
  test("gives every reader the same sequence, without gaps, from its place or from a reset", async () => {
    const place = await open.place();
    const db = await open.at(place);
    const servers = engine === "sqlite" ? [db] : [db, await open.at(place)];
    let round = 0;

    const someWriters = fc.array(fc.array(deed, { maxLength: 6 }), { minLength: 1, maxLength: 4 });
    const someReaders = fc.array(reader, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(someWriters, someReaders, async (writers, readers) => {
        const topics = [`run:${round}a`, `run:${round}b`];
        const truth = new Map<number, string>();
        const leaving = new AbortController();
        const server = (i: number): Database => servers[i % servers.length] ?? db;
        const reading = readers.map((r, i) => read(server(i), topics[0] ?? "", r, leaving.signal));
        await Promise.all(
          writers.map((deeds, i) => write(server(i + 1), topics, deeds, `${round} ${i}`, truth)),
        );
        round++;

        const end = await lastSeq(db.read, topics[0] ?? "");
        expect(truth.size).toBe(end);
        for (const one of reading) await one.until(end);
        leaving.abort();
        for (const { seen, ended } of reading) {
          await ended;
          for (const [seq, body] of seen) expect(body).toBe(truth.get(seq));
        }
      }),
      { numRuns: engine === "sqlite" ? 150 : 25 },
    );
  });
});

async function write(
  db: Database,
  topics: string[],
  deeds: Deed[],
  name: string,
  truth: Map<number, string>,
): Promise<void> {
  for (const [i, { turns: wait, what }] of deeds.entries()) {
    await turns(wait);
    if (what.type === "prune") {
      await db.write(async (tx) =>
        prune(tx, topics[0] ?? "", (await lastSeq(tx.q, topics[0] ?? "")) - what.back),
      );
      continue;
    }
    const counts = what.type === "append" ? what.counts : [2, 1];
    const appends = topics.map((topic, t) => ({
      topic,
      bodies: Array.from({ length: counts[t] ?? 0 }, (_, n) => JSON.stringify(`${name} ${i} ${n}`)),
    }));
    const appending = db.write(async (tx) => {
      const seqs = await append(tx, appends);
      if (what.type === "fail") throw new Error("changed my mind");
      return seqs;
    });
    const seqs = await appending.catch(() => undefined);
    const bodies = appends[0]?.bodies ?? [];
    const last = seqs?.get(topics[0] ?? "");
    if (last !== undefined)
      for (const [n, body] of bodies.entries()) truth.set(last - bodies.length + 1 + n, body);
  }
}

function read(
  db: Database,
  topic: string,
  { turns: wait, after, pageSize, slowness }: Reader,
  signal: AbortSignal,
) {
  const seen = new Map<number, string>();
  let position = after;
  let moved = (): void => {};

  async function run(): Promise<void> {
    await turns(wait);
    // A minute: nothing here may lean on looking again.
    for await (const followed of follow(db, topic, after, signal, { pageSize, recheckMs: 60_000 })) {
      if (followed.type === "reset") {
        position = followed.seq;
      } else {
        expect(followed.entries.length).toBeLessThanOrEqual(pageSize);
        for (const { seq, body } of followed.entries) {
          expect(seq).toBe(++position);
          seen.set(seq, body);
        }
      }
      moved();
      await turns(slowness);
    }
  }

  const ended = run();
  const until = async (seq: number): Promise<void> => {
    while (position !== seq) await Promise.race([ended, new Promise<void>((resolve) => (moved = resolve))]);
  };
  return { seen, ended, until };
}
