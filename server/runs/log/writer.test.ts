import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { follow } from "#storage/log/follow.ts";
import { readAfter } from "#storage/log/log.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { StorageBusyError, StorageFullError } from "#storage/errors.ts";
import { openDatabase } from "#storage/database/open.ts";
import { addThread } from "#storage/testing/rows.ts";
import { lockThreads } from "#server/threads/rows.ts";
import { collectLog } from "#tests/support/collected-log.ts";
import { handClock } from "#tests/support/hand-clock.ts";
import { engines } from "#tests/support/postgres.ts";
import { newPlace, type ServerPlace } from "#tests/support/server.ts";
import { runEnd, runStart } from "#tests/support/run-events.ts";
import { blankRun, changeRun, insertRun } from "../rows.ts";
import { runTopic } from "./topics.ts";
import { createWriter } from "./writer.ts";

const delta = (text: string): RunEvent => ({ type: "text-delta", part: 0, text });
const patience = { timeout: 10_000, interval: 5 };

/** A database whose transactions a test may hold up or make fail. */
function held(db: Database) {
  const control = {
    gate: undefined as Promise<void> | undefined,
    fail: undefined as ((attempt: number) => Error | undefined) | undefined,
    /** The same after the commit: it was kept, and nobody could say so. */
    failKept: undefined as ((attempt: number) => Error | undefined) | undefined,
    writes: 0,
  };
  const wrapped: Database = {
    ...db,
    async writeFirst(work) {
      control.writes += 1;
      const attempt = control.writes;
      const error = control.fail?.(attempt);
      if (error !== undefined) throw error;
      await control.gate;
      const value = await db.writeFirst(work);
      const unsure = control.failKept?.(attempt);
      if (unsure !== undefined) throw unsure;
      return value;
    },
  };
  return { db: wrapped, control };
}

describe.each(engines)("writing the events of runs (%s)", (engine) => {
  // One database for all: each test has runs of its own.
  let place: ServerPlace;
  let real: Database;
  beforeAll(async () => {
    place = await newPlace(engine);
    real = await openDatabase(place);
    await real.write(async (tx) => await addThread(tx, "thread_0a"));
  });
  afterAll(async () => {
    await real.close();
    await place.remove();
  });

  async function begin() {
    const { db, control } = held(real);
    const log = collectLog();
    const leaseOwner = newId("request");
    const clock = handClock();
    const writer = createWriter({
      db,
      clock,
      logger: log.logger,
      threads: { lockAll: lockThreads },
      leaseOwner,
    });
    const newRun = async (): Promise<string> => {
      const id = newId("run");
      const nowMs = Date.now();
      await real.write(
        async (tx) =>
          await insertRun(tx, {
            ...blankRun,
            id,
            origin: "own",
            project_id: "thread_0a",
            workspace_id: "thread_0a",
            user_id: "usr_0",
            lease_owner: leaseOwner,
            lease_expires_at: nowMs + limits.runLeaseMs,
            created_at: nowMs,
          }),
      );
      return id;
    };
    const logged = async (runId: string): Promise<RunEvent[]> =>
      (await readAfter(real, runTopic(runId), 0, 1_000)).entries.map(
        ({ body }) => JSON.parse(body) as RunEvent,
      );
    return { db, control, clock, log, writer, newRun, logged, leaseOwner };
  }

  test("shows nothing before it is committed, and rings then", async () => {
    const { control, writer, newRun, logged } = await begin();
    const runId = await newRun();
    const stop = new AbortController();
    const heard: string[] = [];
    const following = (async () => {
      for await (const batch of follow(real, runTopic(runId), 0, stop.signal))
        if (batch.type === "entries") heard.push(...batch.entries.map(({ body }) => body));
    })();
    const gate = Promise.withResolvers<void>();
    control.gate = gate.promise;
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("Hello"));
    await vi.waitFor(() => expect(control.writes).toBe(1), patience);
    expect([await logged(runId), heard]).toEqual([[], []]);
    gate.resolve();
    await vi.waitFor(() => expect(heard).toHaveLength(2), patience);
    expect(await logged(runId)).toEqual([runStart, delta("Hello")]);
    stop.abort();
    await following;
    await writer.close();
  });

  test("writes what comes meanwhile together, in its order, and the end as the last with what goes with it", async () => {
    const { control, writer, newRun, logged } = await begin();
    const runId = await newRun();
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    const words = Array.from({ length: 50 }, (_, index) => `word ${index} `);
    for (const word of words) await run.write(delta(word));
    expect(
      await run.end(runEnd, async (tx) => await changeRun(tx, runId, { state: "completed", ended_at: 7 })),
    ).toBe(true);
    const events = await logged(runId);
    expect(events[0]).toEqual(runStart);
    expect(events.at(-1)).toEqual(runEnd);
    expect(events.map((event) => (event.type === "text-delta" ? event.text : "")).join("")).toBe(
      words.join(""),
    );
    expect(control.writes).toBeLessThan(10);
    const row = await real.read
      .selectFrom("runs")
      .selectAll()
      .where("id", "=", runId)
      .executeTakeFirstOrThrow();
    expect([row.state, row.ended_at]).toEqual(["completed", 7]);
    await writer.close();
  });

  test("writes several runs in one transaction", async () => {
    const { control, writer, newRun, logged } = await begin();
    const ids = [await newRun(), await newRun(), await newRun()];
    const runs = ids.map((id) => writer.open(id, () => {}));
    for (const run of runs) {
      await run.write(runStart);
      await run.write(delta("x"));
    }
    await vi.waitFor(async () => expect(await logged(ids[2]!)).toHaveLength(2), patience);
    expect(control.writes).toBe(1);
    await writer.close();
  });

  test("writes nothing once the lease is another's, says so, and lets go of whoever waits", async () => {
    const { writer, newRun, logged } = await begin();
    const runId = await newRun();
    const lost = vi.fn();
    const run = writer.open(runId, lost);
    await run.write(runStart);
    await run.write(delta("mine"));
    await vi.waitFor(async () => expect(await logged(runId)).toHaveLength(2), patience);
    await real.write(async (tx) => await changeRun(tx, runId, { lease_owner: "another" }));
    await run.write(delta("no longer mine"));
    await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(1), patience);
    // More than may wait for a commit: it must not be waited for.
    await run.write(delta("x".repeat(1024 * 1024)));
    await run.write(delta("x"));
    const finish = vi.fn();
    expect(await run.end(runEnd, finish)).toBe(false);
    expect(finish).not.toHaveBeenCalled();
    expect(await logged(runId)).toEqual([runStart, delta("mine")]);
    await writer.close();
  });

  test("writes nothing to a run that has ended", async () => {
    const { writer, newRun, logged } = await begin();
    const runId = await newRun();
    const lost = vi.fn();
    const run = writer.open(runId, lost);
    await real.write(async (tx) => await changeRun(tx, runId, { state: "interrupted" }));
    await run.write(runStart);
    await run.write(delta("late"));
    await vi.waitFor(() => expect(lost).toHaveBeenCalled(), patience);
    expect(await logged(runId)).toEqual([]);
    await writer.close();
  });

  test.for([
    ["away", new StorageBusyError("away")],
    ["full", new StorageFullError("full")],
  ] as const)("waits while the database is %s, and loses nothing", async ([, error]) => {
    const { control, writer, newRun, logged, log, clock } = await begin();
    const runId = await newRun();
    control.fail = (attempt) => (attempt <= 2 ? error : undefined);
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("one "));
    await vi.waitFor(() => expect(control.writes).toBeGreaterThan(0), patience);
    await run.write(delta("two"));
    const ended = run.end(runEnd, async () => {});
    await run.write(delta("too late to matter"));
    const patiently = setInterval(() => clock.advance(300), 5);
    expect(await ended).toBe(true);
    clearInterval(patiently);
    const events = await logged(runId);
    expect(events[0]).toEqual(runStart);
    expect(events.map((event) => (event.type === "text-delta" ? event.text : "")).join("")).toBe("one two");
    expect(events.at(-1)).toEqual(runEnd);
    expect(log.takeErrors()).toHaveLength(2);
    await writer.close();
  });

  test.for([
    ["from its beginning", 1],
    ["in its midst", 2],
  ] as const)("says nothing twice where a commit was kept and nobody could say so, %s", async ([, which]) => {
    const { control, writer, newRun, logged, log, clock } = await begin();
    const runId = await newRun();
    control.failKept = (attempt) => (attempt === which ? new StorageBusyError("away") : undefined);
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("one "));
    if (which === 2) {
      await vi.waitFor(async () => expect(await logged(runId)).toHaveLength(2), patience);
      await run.write(delta("two "));
    }
    await vi.waitFor(() => expect(log.takeErrors()).toHaveLength(1), patience);
    await run.write(delta("more"));
    const ended = run.end(runEnd, async () => {});
    clock.advance(300);
    expect(await ended).toBe(true);
    const texts = (await logged(runId)).map((event) =>
      event.type === "text-delta" ? event.text : event.type,
    );
    expect(texts).toEqual(["run-start", "one ", ...(which === 2 ? ["two "] : []), "more", "run-end"]);
    await writer.close();
  });

  test("ends a run once where the commit of its end was kept and nobody could say so", async () => {
    const { control, writer, newRun, logged, log, clock } = await begin();
    const runId = await newRun();
    const lost = vi.fn();
    control.failKept = (attempt) => (attempt === 1 ? new StorageBusyError("away") : undefined);
    const run = writer.open(runId, lost);
    await run.write(runStart);
    const finish = vi.fn(
      async (tx: Tx) => await changeRun(tx, runId, { state: "completed", ended_at: 7, lease_owner: null }),
    );
    const ended = run.end(runEnd, finish);
    await vi.waitFor(() => expect(log.takeErrors()).toHaveLength(1), patience);
    clock.advance(300);
    expect(await ended).toBe(true);
    expect(lost).not.toHaveBeenCalled();
    expect(finish).toHaveBeenCalledTimes(1);
    expect(await logged(runId)).toEqual([runStart, runEnd]);
    await writer.close();
  });

  test("tells who parked a run that it waits, also where it was taken up again before anyone could say so", async () => {
    const { control, writer, newRun, logged, log, clock, leaseOwner } = await begin();
    const runId = await newRun();
    control.failKept = (attempt) => (attempt === 1 ? new StorageBusyError("away") : undefined);
    const first = writer.open(runId, () => {});
    await first.write(runStart);
    const wait: RunEvent = { type: "run-wait", parts: [] };
    const parked = first.end(
      wait,
      async (tx) => await changeRun(tx, runId, { state: "requires-action", lease_owner: null }),
    );
    await vi.waitFor(() => expect(log.takeErrors()).toHaveLength(1), patience);
    await real.write(async (tx) => await changeRun(tx, runId, { state: "running", lease_owner: leaseOwner }));
    const second = writer.open(runId, () => {}, true);
    expect(await parked).toBe(true);
    clock.advance(300);
    expect(await second.end(runEnd, async () => {})).toBe(true);
    expect(await logged(runId)).toEqual([runStart, wait, runEnd]);
    await writer.close();
  });

  test("answers an end that is asked for while it finds that the lease is another's", async () => {
    const { control, writer, newRun } = await begin();
    const runId = await newRun();
    await real.write(async (tx) => await changeRun(tx, runId, { lease_owner: "another" }));
    const gate = Promise.withResolvers<void>();
    control.gate = gate.promise;
    const lost = vi.fn();
    const run = writer.open(runId, lost, true);
    await run.write(delta("no longer mine"));
    await vi.waitFor(() => expect(control.writes).toBe(1), patience);
    const finish = vi.fn();
    const ended = run.end(runEnd, finish);
    gate.resolve();
    expect(await ended).toBe(false);
    expect(lost).toHaveBeenCalledTimes(1);
    expect(finish).not.toHaveBeenCalled();
    await writer.close();
  });

  test("answers an end that is asked for while a tick turns out not to be storable", async () => {
    const { control, writer, newRun, log } = await begin();
    const runId = await newRun();
    const gate = Promise.withResolvers<void>();
    control.gate = gate.promise;
    control.failKept = () => new Error("this text cannot be stored");
    const lost = vi.fn();
    const run = writer.open(runId, lost, true);
    await run.write(delta("x"));
    await vi.waitFor(() => expect(control.writes).toBe(1), patience);
    const ended = run.end(runEnd, async () => {});
    gate.resolve();
    expect(await ended).toBe(false);
    expect(lost).toHaveBeenCalledTimes(1);
    expect(log.takeErrors()).toEqual([expect.stringContaining("this text cannot be stored")]);
    await writer.close();
  });

  test("one run that cannot be written does not take the others along", async () => {
    const { writer, newRun, logged, log } = await begin();
    const [good, poison, alsoGood] = [await newRun(), await newRun(), await newRun()];
    const lost = vi.fn();
    const runs = [
      writer.open(good, () => {}),
      writer.open(poison, lost),
      writer.open(alsoGood, () => {}),
    ] as const;
    for (const run of runs) {
      await run.write(runStart);
      await run.write(delta("x"));
    }
    const ends = await Promise.all([
      runs[0].end(runEnd, async () => {}),
      runs[1].end(runEnd, async () => {
        throw new Error("this reply cannot be stored");
      }),
      runs[2].end(runEnd, async () => {}),
    ]);
    expect(ends).toEqual([true, false, true]);
    expect(lost).toHaveBeenCalledTimes(1);
    expect((await logged(good)).at(-1)).toEqual(runEnd);
    expect((await logged(alsoGood)).at(-1)).toEqual(runEnd);
    expect(JSON.stringify(await logged(poison))).not.toContain("run-end");
    expect(log.takeErrors()).toEqual([expect.stringContaining("this reply cannot be stored")]);
    await writer.close();
  });

  test("holds a model back that is faster than the database", async () => {
    const { control, writer, newRun } = await begin();
    const runId = await newRun();
    const gate = Promise.withResolvers<void>();
    control.gate = gate.promise;
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("x"));
    await vi.waitFor(() => expect(control.writes).toBe(1), patience);
    let written = 0;
    const writing = (async () => {
      for (let i = 0; i < 32; i++) {
        await run.write(delta("x".repeat(64 * 1024)));
        written++;
      }
    })();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(written).toBeLessThan(8);
    control.gate = undefined;
    gate.resolve();
    await writing;
    expect(await run.end(runEnd, async () => {})).toBe(true);
    await writer.close();
  });

  test("writes what still waits before it closes", async () => {
    const { writer, newRun, logged } = await begin();
    const runId = await newRun();
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("the last words"));
    await writer.close();
    expect(await logged(runId)).toEqual([runStart, delta("the last words")]);
  });

  test("does not wait for ever at its close for a database that stays away", async () => {
    const { control, writer, newRun, log, logged, clock } = await begin();
    const runId = await newRun();
    control.fail = () => new StorageBusyError("away");
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("lost"));
    let closed = false;
    const closing = writer.close().then(() => (closed = true));
    clock.advance(1_000);
    await new Promise(setImmediate);
    expect(closed).toBe(false);
    await vi.waitFor(() => {
      clock.advance(500);
      expect(closed).toBe(true);
    }, patience);
    await closing;
    expect(await logged(runId)).toEqual([]);
    expect(log.takeErrors().length).toBeGreaterThan(0);
  });

  test("asks nothing of the database while half a surrogate pair waits for its other half", async () => {
    const { control, writer, newRun, logged } = await begin();
    const runId = await newRun();
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("a\ud83d"));
    await vi.waitFor(async () => expect(await logged(runId)).toHaveLength(2), patience);
    const { writes } = control;
    // Six ticks: it would have asked by now.
    await new Promise((resolve) => setTimeout(resolve, 6 * limits.tickMs));
    expect(control.writes).toBe(writes);
    await run.write(delta("\ude00"));
    expect(await run.end(runEnd, async () => {})).toBe(true);
    expect(await logged(runId)).toEqual([runStart, delta("a"), delta("😀"), runEnd]);
    await writer.close();
  });
});

describe("the clock of the writer", () => {
  test("is quicker than an eye, and gives a slow database twice the time it took", () => {
    expect(limits.tickMs).toBeLessThanOrEqual(50);
    expect(limits.tickMaxMs).toBeLessThanOrEqual(200);
    expect(limits.runLeaseMs).toBeGreaterThanOrEqual(3 * limits.runHeartbeatMs);
  });
});
