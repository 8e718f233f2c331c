import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Database } from "../database/database.ts";
import { describeEveryEngine } from "../testing/engines.ts";
import { givenUp, read, write, type Pace } from "../testing/log-players.ts";
import { createWitness, someDeed, somePace } from "../testing/log-witness.ts";
import { lastSeq } from "./log.ts";

describeEveryEngine("any interleaving of writers, readers and pruning", (open, engine) => {
  test("gives every reader the same sequence, without gaps, from its place or from a reset", async () => {
    const place = await open.place();
    const db = await open.at(place);
    const servers = engine === "sqlite" ? [db] : [db, await open.at(place)];
    let round = 0;

    const someWriters = fc.array(fc.array(someDeed, { maxLength: 6 }), { minLength: 1, maxLength: 4 });
    const someReaders = fc.array(somePace, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(someWriters, someReaders, async (writers, readers) => {
        const topics = [`run:${round}a`, `run:${round}b`];
        const [watched = ""] = topics;
        const truth = new Map<number, string>();
        const leaving = new AbortController();
        const server = (i: number): Database => servers[i % servers.length] ?? db;
        const reading = readers.map((pace, i) => watch(server(i), watched, pace, leaving.signal));
        await Promise.all(
          writers.map((deeds, i) =>
            write(server(i + 1), topics, deeds, `${round} ${i}`, (seq, body) => truth.set(seq, body)),
          ),
        );
        round++;

        const end = await lastSeq(db.read, watched);
        expect(truth.size).toBe(end);
        expect([...truth.values()].join()).not.toContain(givenUp);
        for (const { witness, ended } of reading) await witness.until(end, ended);
        leaving.abort();
        for (const { witness, ended } of reading) {
          await ended;
          for (const [seq, body] of witness.seen) expect(body).toBe(truth.get(seq));
        }
      }),
      { numRuns: engine === "sqlite" ? 150 : 25 },
    );
  });
});

function watch(db: Database, topic: string, pace: Pace, signal: AbortSignal) {
  const witness = createWitness(pace.after);
  async function run(): Promise<void> {
    for await (const followed of read(db, topic, pace, signal)) witness.hear(followed, pace.pageSize);
  }
  return { witness, ended: run() };
}
