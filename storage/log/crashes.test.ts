import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { Database } from "../database/database.ts";
import { openDatabase } from "../database/open.ts";
import { describeEveryEngine, type DatabaseLocation } from "../testing/engines.ts";
import { read, rolledBack, type ReaderPlan } from "../testing/log-actors.ts";
import {
  anyReaderPlan,
  anyWriterStep,
  createReaderChecker,
  type ReaderChecker,
} from "../testing/log-checker.ts";
import type { ServerOutput, ServerPlan } from "../testing/log-server.ts";
import { readAfter } from "./log.ts";

const children = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of children) await kill(child);
});

/** One process of a server: its writers, and after how many lines of output it is killed. The last one is not. */
const anyProcess = fc.record({
  writers: fc.array(fc.array(anyWriterStep, { maxLength: 6 }), { minLength: 1, maxLength: 3 }),
  killedAfter: fc.nat(15),
});
const anyServer = fc.record({
  processes: fc.array(anyProcess, { minLength: 2, maxLength: 3 }),
  readers: fc.array(anyReaderPlan, { minLength: 1, maxLength: 3 }),
});

describeEveryEngine("any interleaving of writers, readers and crashes of servers", (open, engine) => {
  // SQLite serves one process at a time. On PostgreSQL there are several, and two more that are never killed.
  const serversMax = engine === "sqlite" ? 1 : 3;
  const anyServers = fc.array(anyServer, { minLength: Math.min(serversMax, 2), maxLength: serversMax });
  const anySurvivors = fc.array(anyReaderPlan, { minLength: 1, maxLength: 3 });

  test(
    "gives every reader the same sequence, and keeps what anyone wrote or saw",
    { timeout: 120_000 },
    async () => {
      const place = await open.place();
      const survivors = engine === "sqlite" ? [] : [await open.at(place), await open.at(place)];
      let round = 0;
      await fc.assert(
        fc.asyncProperty(anyServers, anySurvivors, async (servers, plans) => {
          const name = `${round++}`;
          const topics = [`run:${name}a`, `run:${name}b`];
          const known = createKnownEntries();
          const leaving = new AbortController();
          const watching = survivors.flatMap((db) =>
            plans.map((plan) => watch(db, topics[0]!, plan, leaving.signal)),
          );
          const last = await Promise.all(
            servers.map(
              async (server, i) => await runAndKill(server, { place, topics, name: `${name}.${i}` }, known),
            ),
          );

          const end = await checkTheLog(place, topics[0]!, known);
          const everyReader = [...watching, ...last.flat()];
          for (const { checker, ended } of everyReader) await checker.until(end, ended);
          leaving.abort();
          for (const { checker } of everyReader)
            for (const [seq, body] of checker.seen) known.agree(seq, body);
          known.checkTransactions();
          for (const child of children) await kill(child);
        }),
        // The timing of two processes cannot be reproduced, so shrinking is of no use.
        { numRuns: engine === "sqlite" ? 5 : 3, endOnFailure: true, timeout: 30_000 },
      );
    },
  );
});

type Reading = { checker: ReaderChecker; ended: Promise<unknown> };

/** Runs the processes of a server one after the other. Its readers continue at their positions. The last process is not killed. */
async function runAndKill(
  { processes, readers }: typeof anyServer extends fc.Arbitrary<infer T> ? T : never,
  common: Pick<ServerPlan, "place" | "topics" | "name">,
  known: KnownEntries,
): Promise<Reading[]> {
  const checkers = readers.map(({ after }) => createReaderChecker(after));
  for (const [number, { writers, killedAfter }] of processes.entries()) {
    const isLast = number === processes.length - 1;
    const child = start({
      ...common,
      name: `${common.name}.${number}`,
      writers,
      readers: readers.map((plan, i) => ({ ...plan, after: checkers[i]!.position })),
    });
    let lines = 0;
    const written = Promise.withResolvers<void>();
    const receive = (line: ServerOutput): void => {
      if (line.type === "wrote") known.acknowledge(line.seq, line.body);
      else if (line.type === "received")
        checkers[line.reader]!.receive(line.event, readers[line.reader]!.pageSize);
      else written.resolve();
      if (!isLast && (lines++ >= killedAfter || line.type === "written")) child.process.kill("SIGKILL");
    };
    const ended = child.readOutput(receive);
    if (!isLast) await ended;
    else {
      const early = ended.then(() => Promise.reject(new Error("A server ended by itself.")));
      early.catch(() => {});
      await Promise.race([written.promise, early]);
      return checkers.map((checker) => ({ checker, ended: early }));
    }
  }
  throw new Error("A server has at least one process.");
}

function start(plan: ServerPlan) {
  const program = fileURLToPath(new URL("../testing/log-server.ts", import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(plan)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  let errors = "";
  child.stderr.on("data", (data) => (errors += String(data)));
  return {
    process: child,
    /** Resolves when the process was killed and its output was read; rejects if it ended by itself. */
    async readOutput(receive: (line: ServerOutput) => void): Promise<void> {
      const closed = once(child, "close");
      // A line that was cut off does not count.
      for await (const line of createInterface(child.stdout))
        if (line.endsWith("}")) receive(JSON.parse(line) as ServerOutput);
      const [, signal] = (await closed) as [number | null, NodeJS.Signals | null];
      children.delete(child);
      expect(signal, errors).toBe("SIGKILL");
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

function watch(db: Database, topic: string, plan: ReaderPlan, signal: AbortSignal): Reading {
  const checker = createReaderChecker(plan.after);
  async function run(): Promise<void> {
    for await (const event of read(db, topic, plan, signal)) checker.receive(event, plan.pageSize);
  }
  return { checker, ended: run() };
}

/** The entries of the watched topic that anyone wrote, read, or found in the end. */
type KnownEntries = ReturnType<typeof createKnownEntries>;

function createKnownEntries() {
  const bodies = new Map<number, string>();
  const acknowledged = new Set<number>();
  const agree = (seq: number, body: string): void => {
    expect(bodies.get(seq) ?? body, `entry ${seq} has two different bodies`).toBe(body);
    bodies.set(seq, body);
  };
  return {
    acknowledged,
    agree,
    acknowledge(seq: number, body: string): void {
      agree(seq, body);
      acknowledged.add(seq);
    },
    /** Every entry is there once, and every transaction is complete and contiguous, or absent. */
    checkTransactions(): void {
      expect(new Set(bodies.values()).size).toBe(bodies.size);
      for (const [seq, body] of bodies) {
        expect(body).not.toContain(rolledBack);
        const { rest, n } = partsOf(body);
        const before = bodies.get(seq - 1);
        if (n > 0 && before !== undefined) expect(partsOf(before)).toEqual({ rest, n: n - 1 });
      }
    },
  };
}

/** A body is the writer's name, the number of its step, and the number of the entry within the step. */
function partsOf(body: string): { rest: string; n: number } {
  const words = (JSON.parse(body) as string).split(" ");
  return { n: Number(words.pop()), rest: words.join(" ") };
}

/** Compares the log with the known entries, and returns its last number. */
async function checkTheLog(place: DatabaseLocation, topic: string, known: KnownEntries): Promise<number> {
  const db = await openDatabase({ ...place, alongsideServer: true });
  try {
    const { entries, lastSeq, prunedSeq } = await readAfter(db, topic, 0, Number.MAX_SAFE_INTEGER);
    for (const { seq, body } of entries) known.agree(seq, body);
    const kept = new Set(entries.map(({ seq }) => seq));
    for (let seq = prunedSeq + 1; seq <= lastSeq; seq++) expect(kept).toContain(seq);
    for (const seq of known.acknowledged) expect(seq).toBeLessThanOrEqual(lastSeq);
    return lastSeq;
  } finally {
    await db.close();
  }
}
