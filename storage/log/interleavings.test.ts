import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Database } from "../database/database.ts";
import { describeEveryEngine } from "../testing/engines.ts";
import { read, rolledBack, write, type ReaderPlan } from "../testing/log-actors.ts";
import { anyReaderPlan, anyWriterStep, createReaderChecker } from "../testing/log-checker.ts";
import { lastSeq } from "./log.ts";

describeEveryEngine("any interleaving of writers, readers and pruning", (open, engine) => {
  test("gives every reader the same sequence, without gaps, from its position or from a reset", async () => {
    const place = await open.place();
    const db = await open.at(place);
    const servers = engine === "sqlite" ? [db] : [db, await open.at(place)];
    let round = 0;

    const anyWriters = fc.array(fc.array(anyWriterStep, { maxLength: 6 }), { minLength: 1, maxLength: 4 });
    const anyReaders = fc.array(anyReaderPlan, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(anyWriters, anyReaders, async (writers, readers) => {
        const topics = [`run:${round}a`, `run:${round}b`];
        const [watched = ""] = topics;
        const written = new Map<number, string>();
        const leaving = new AbortController();
        const server = (i: number): Database => servers[i % servers.length] ?? db;
        const reading = readers.map((plan, i) => watch(server(i), watched, plan, leaving.signal));
        await Promise.all(
          writers.map((steps, i) =>
            write(server(i + 1), topics, steps, `${round} ${i}`, (seq, body) => written.set(seq, body)),
          ),
        );
        round++;

        const end = await lastSeq(db.read, watched);
        expect(written.size).toBe(end);
        expect([...written.values()].join()).not.toContain(rolledBack);
        for (const { checker, ended } of reading) await checker.until(end, ended);
        leaving.abort();
        for (const { checker, ended } of reading) {
          await ended;
          for (const [seq, body] of checker.seen) expect(body).toBe(written.get(seq));
        }
      }),
      { numRuns: engine === "sqlite" ? 150 : 25 },
    );
  });
});

function watch(db: Database, topic: string, plan: ReaderPlan, signal: AbortSignal) {
  const checker = createReaderChecker(plan.after);
  async function run(): Promise<void> {
    for await (const event of read(db, topic, plan, signal)) checker.receive(event, plan.pageSize);
  }
  return { checker, ended: run() };
}
