import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { Database } from "../database/database.ts";
import { openDatabase } from "../database/open.ts";
import { describeEveryEngine, type Place } from "../testing/engines.ts";
import { givenUp, read, type Pace } from "../testing/log-players.ts";
import type { Life, Told } from "../testing/log-server.ts";
import { createWitness, someDeed, somePace, type Witness } from "../testing/log-witness.ts";
import { readAfter } from "./log.ts";

const children = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of children) await kill(child);
});

/** A server's life, and after how many lines of what it tells it is killed; the last of a server's lives is not. */
const someLife = fc.record({
  writers: fc.array(fc.array(someDeed, { maxLength: 6 }), { minLength: 1, maxLength: 3 }),
  diesAfter: fc.nat(15),
});
const someServer = fc.record({
  lives: fc.array(someLife, { minLength: 2, maxLength: 3 }),
  readers: fc.array(somePace, { minLength: 1, maxLength: 3 }),
});

describeEveryEngine("any interleaving of writers, readers and deaths of servers", (open, engine) => {
  // SQLite serves one process at a time; on PostgreSQL there are several, and two more that nobody kills.
  const most = engine === "sqlite" ? 1 : 3;
  const someServers = fc.array(someServer, { minLength: Math.min(most, 2), maxLength: most });
  const someSurvivors = fc.array(somePace, { minLength: 1, maxLength: 3 });

  test(
    "gives every reader the same sequence, and keeps what anyone wrote or saw",
    { timeout: 120_000 },
    async () => {
      const place = await open.place();
      const survivors = engine === "sqlite" ? [] : [await open.at(place), await open.at(place)];
      let round = 0;
      await fc.assert(
        fc.asyncProperty(someServers, someSurvivors, async (servers, paces) => {
          const name = `${round++}`;
          const topics = [`run:${name}a`, `run:${name}b`];
          const told = createTruth();
          const leaving = new AbortController();
          const watching = survivors.flatMap((db) =>
            paces.map((pace) => watch(db, topics[0]!, pace, leaving.signal)),
          );
          const last = await Promise.all(
            servers.map(
              async (server, i) => await liveAndDie(server, { place, topics, name: `${name}.${i}` }, told),
            ),
          );

          const end = await checkTheLog(place, topics[0]!, told);
          const everybody = [...watching, ...last.flat()];
          for (const { witness, ended } of everybody) await witness.until(end, ended);
          leaving.abort();
          for (const { witness } of everybody) for (const [seq, body] of witness.seen) told.agree(seq, body);
          told.isWhole();
          for (const child of children) await kill(child);
        }),
        // What two processes do at once cannot be done again the same way, so nothing is made smaller.
        { numRuns: engine === "sqlite" ? 5 : 3, endOnFailure: true, timeout: 30_000 },
      );
    },
  );
});

type Reading = { witness: Witness; ended: Promise<unknown> };

/** Plays a server's lives, one after the other; its readers go on from where they stood. The last one lives on. */
async function liveAndDie(
  { lives, readers }: typeof someServer extends fc.Arbitrary<infer T> ? T : never,
  common: Pick<Life, "place" | "topics" | "name">,
  told: Truth,
): Promise<Reading[]> {
  const witnesses = readers.map(({ after }) => createWitness(after));
  for (const [number, { writers, diesAfter }] of lives.entries()) {
    const isLast = number === lives.length - 1;
    const child = bear({
      ...common,
      name: `${common.name}.${number}`,
      writers,
      readers: readers.map((pace, i) => ({ ...pace, after: witnesses[i]!.position })),
    });
    let lines = 0;
    const written = Promise.withResolvers<void>();
    const hear = (line: Told): void => {
      if (line.type === "wrote") told.acknowledge(line.seq, line.body);
      else if (line.type === "heard")
        witnesses[line.reader]!.hear(line.followed, readers[line.reader]!.pageSize);
      else written.resolve();
      if (!isLast && (lines++ >= diesAfter || line.type === "written")) child.process.kill("SIGKILL");
    };
    const ended = child.hear(hear);
    if (!isLast) await ended;
    else {
      const early = ended.then(() => Promise.reject(new Error("A server ended by itself.")));
      early.catch(() => {});
      await Promise.race([written.promise, early]);
      return witnesses.map((witness) => ({ witness, ended: early }));
    }
  }
  throw new Error("A server has a life.");
}

function bear(life: Life) {
  const program = fileURLToPath(new URL("../testing/log-server.ts", import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(life)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  let words = "";
  child.stderr.on("data", (data) => (words += String(data)));
  return {
    process: child,
    /** Resolves when it was killed and all that it told was heard; rejects where it ended by itself, or was wrong. */
    async hear(heard: (told: Told) => void): Promise<void> {
      const closed = once(child, "close");
      // Of a line that was cut off nobody has seen anything.
      for await (const line of createInterface(child.stdout))
        if (line.endsWith("}")) heard(JSON.parse(line) as Told);
      const [, signal] = (await closed) as [number | null, NodeJS.Signals | null];
      children.delete(child);
      expect(signal, words).toBe("SIGKILL");
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

function watch(db: Database, topic: string, pace: Pace, signal: AbortSignal): Reading {
  const witness = createWitness(pace.after);
  async function run(): Promise<void> {
    for await (const followed of read(db, topic, pace, signal)) witness.hear(followed, pace.pageSize);
  }
  return { witness, ended: run() };
}

/** What is known of the watched topic, by whoever wrote it, read it, or found it in the end. */
type Truth = ReturnType<typeof createTruth>;

function createTruth() {
  const bodies = new Map<number, string>();
  const acknowledged = new Set<number>();
  const agree = (seq: number, body: string): void => {
    expect(bodies.get(seq) ?? body, `two say different things of entry ${seq}`).toBe(body);
    bodies.set(seq, body);
  };
  return {
    acknowledged,
    agree,
    acknowledge(seq: number, body: string): void {
      agree(seq, body);
      acknowledged.add(seq);
    },
    /** Everything once; each transaction whole and in one piece, or not there. */
    isWhole(): void {
      expect(new Set(bodies.values()).size).toBe(bodies.size);
      for (const [seq, body] of bodies) {
        expect(body).not.toContain(givenUp);
        const { rest, n } = partsOf(body);
        const before = bodies.get(seq - 1);
        if (n > 0 && before !== undefined) expect(partsOf(before)).toEqual({ rest, n: n - 1 });
      }
    },
  };
}

/** A body is the writer's name, the number of its deed, and the number of the entry within it. */
function partsOf(body: string): { rest: string; n: number } {
  const words = (JSON.parse(body) as string).split(" ");
  return { n: Number(words.pop()), rest: words.join(" ") };
}

/** Compares what is in the log with what was told, and answers its last number. */
async function checkTheLog(place: Place, topic: string, told: Truth): Promise<number> {
  const db = await openDatabase({ ...place, alongsideServer: true });
  try {
    const { entries, lastSeq, prunedSeq } = await readAfter(db, topic, 0, Number.MAX_SAFE_INTEGER);
    for (const { seq, body } of entries) told.agree(seq, body);
    const kept = new Set(entries.map(({ seq }) => seq));
    for (let seq = prunedSeq + 1; seq <= lastSeq; seq++) expect(kept).toContain(seq);
    for (const seq of told.acknowledged) expect(seq).toBeLessThanOrEqual(lastSeq);
    return lastSeq;
  } finally {
    await db.close();
  }
}
