import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { follow } from "#storage/log/follow.ts";
import { readAfter } from "#storage/log/log.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { StorageBusyError, StorageFullError } from "#storage/lib/errors.ts";
import { openDatabase } from "#storage/database/open.ts";
import { addThread } from "#storage/testing/rows.ts";
import { lockThreads } from "#server/threads/rows.ts";
import { collectLog } from "#tests/support/servers/collected-log.ts";
import { createManualClock } from "#tests/support/manual-clock.ts";
import { engines } from "#tests/support/postgres/postgres.ts";
import { newPlace, type ServerPlace } from "#tests/support/servers/server.ts";
import { runEnd, runStart } from "#tests/support/data/run-events.ts";
import { blankRun, changeRun, insertRun } from "../rows.ts";
import { runTopic } from "./topics.ts";
import { createWriter } from "./writer.ts";

const delta = (text: string): RunEvent => ({ type: "text-delta", part: 0, text });
const waitOptions = { timeout: 10_000, interval: 5 };

/** A database whose transactions a test can delay or make fail. */
function controlled(db: Database) {
  const control = {
    gate: undefined as Promise<void> | undefined,
    fail: undefined as ((attempt: number) => Error | undefined) | undefined,
    /** Like `fail`, after the commit: the transaction is stored, but the commit is not confirmed. */
    failAfterCommit: undefined as ((attempt: number) => Error | undefined) | undefined,
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
      const unconfirmed = control.failAfterCommit?.(attempt);
      if (unconfirmed !== undefined) throw unconfirmed;
      return value;
    },
  };
  return { db: wrapped, control };
}

describe.each(engines)("writing the events of runs (%s)", (engine) => {
  // All tests share one database, and each has its own runs.
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

  async function setUp() {
    const { db, control } = controlled(real);
    const log = collectLog();
    const leaseOwner = newId("request");
    const clock = createManualClock();
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
            app_id: "thread_0a",
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

  test("shows nothing before the commit, and notifies readers after it", async () => {
    const { control, writer, newRun, logged } = await setUp();
    const runId = await newRun();
    const stop = new AbortController();
    const received: string[] = [];
    const following = (async () => {
      for await (const batch of follow(real, runTopic(runId), 0, stop.signal))
        if (batch.type === "entries") received.push(...batch.entries.map(({ body }) => body));
    })();
    const gate = Promise.withResolvers<void>();
    control.gate = gate.promise;
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("Hello"));
    await vi.waitFor(() => expect(control.writes).toBe(1), waitOptions);
    expect([await logged(runId), received]).toEqual([[], []]);
    gate.resolve();
    await vi.waitFor(() => expect(received).toHaveLength(2), waitOptions);
    expect(await logged(runId)).toEqual([runStart, delta("Hello")]);
    stop.abort();
    await following;
    await writer.close();
  });

  test("writes events that arrive during a commit together and in order, and the end last, with its changes", async () => {
    const { control, writer, newRun, logged } = await setUp();
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

  test("writes the first words and the last events of a run at once, the others at the end of the interval", async () => {
    const { writer, clock, newRun, logged } = await setUp();
    const runId = await newRun();
    const run = writer.open(runId, () => {});
    // The timers of the writer; the database has others.
    const timers = vi.spyOn(globalThis, "setTimeout");
    const waited = () => timers.mock.calls.filter(([work]) => work.name === "startFlush").map(([, ms]) => ms);
    try {
      clock.advance(1_000);
      await run.write(runStart);
      await run.write(delta("## "));
      expect(waited()).toEqual([0]);
      await vi.waitFor(async () => expect(await logged(runId)).toHaveLength(2), waitOptions);
      clock.advance(20);
      await run.write(delta("The"));
      expect(waited()).toEqual([0, 0]);
      await vi.waitFor(async () => expect(await logged(runId)).toHaveLength(3), waitOptions);
      clock.advance(20);
      await run.write(delta(" first words"));
      expect(waited()).toEqual([0, 0, 0]);
      await vi.waitFor(async () => expect(await logged(runId)).toHaveLength(4), waitOptions);
      clock.advance(20);
      await run.write(delta(" and"));
      await run.write(delta(" others"));
      expect(waited()).toHaveLength(4);
      const ended = run.end(runEnd, async () => {});
      expect(waited()).toEqual([0, 0, 0, expect.any(Number), 0]);
      expect(await ended).toBe(true);
      const texts = ["## ", "The", " first words", " and others"];
      expect(await logged(runId)).toEqual([runStart, ...texts.map(delta), runEnd]);
    } finally {
      timers.mockRestore();
      await writer.close();
    }
  });

  test("writes several runs in one transaction", async () => {
    const { control, writer, newRun, logged } = await setUp();
    const ids = [await newRun(), await newRun(), await newRun()];
    const runs = ids.map((id) => writer.open(id, () => {}));
    for (const run of runs) {
      await run.write(runStart);
      await run.write(delta("x"));
    }
    await vi.waitFor(async () => expect(await logged(ids[2]!)).toHaveLength(2), waitOptions);
    expect(control.writes).toBe(1);
    await writer.close();
  });

  test("writes nothing after the lease is lost, reports that, and resumes waiting writes", async () => {
    const { writer, newRun, logged } = await setUp();
    const runId = await newRun();
    const lost = vi.fn();
    const run = writer.open(runId, lost);
    await run.write(runStart);
    await run.write(delta("mine"));
    await vi.waitFor(async () => expect(await logged(runId)).toHaveLength(2), waitOptions);
    await real.write(async (tx) => await changeRun(tx, runId, { lease_owner: "another" }));
    await run.write(delta("no longer mine"));
    await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(1), waitOptions);
    // More than may be pending: the write must not wait.
    await run.write(delta("x".repeat(1024 * 1024)));
    await run.write(delta("x"));
    const finish = vi.fn();
    expect(await run.end(runEnd, finish)).toBe(false);
    expect(finish).not.toHaveBeenCalled();
    expect(await logged(runId)).toEqual([runStart, delta("mine")]);
    await writer.close();
  });

  test("writes nothing to a run that has ended", async () => {
    const { writer, newRun, logged } = await setUp();
    const runId = await newRun();
    const lost = vi.fn();
    const run = writer.open(runId, lost);
    await real.write(async (tx) => await changeRun(tx, runId, { state: "interrupted" }));
    await run.write(runStart);
    await run.write(delta("late"));
    await vi.waitFor(() => expect(lost).toHaveBeenCalled(), waitOptions);
    expect(await logged(runId)).toEqual([]);
    await writer.close();
  });

  test.for([
    ["unavailable", new StorageBusyError("away")],
    ["full", new StorageFullError("full")],
  ] as const)("retries while the database is %s, and loses nothing", async ([, error]) => {
    const { control, writer, newRun, logged, log, clock } = await setUp();
    const runId = await newRun();
    control.fail = (attempt) => (attempt <= 2 ? error : undefined);
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("one "));
    await vi.waitFor(() => expect(control.writes).toBeGreaterThan(0), waitOptions);
    await run.write(delta("two"));
    const ended = run.end(runEnd, async () => {});
    await run.write(delta("too late to matter"));
    const advancing = setInterval(() => clock.advance(300), 5);
    expect(await ended).toBe(true);
    clearInterval(advancing);
    const events = await logged(runId);
    expect(events[0]).toEqual(runStart);
    expect(events.map((event) => (event.type === "text-delta" ? event.text : "")).join("")).toBe("one two");
    expect(events.at(-1)).toEqual(runEnd);
    expect(log.takeErrors()).toHaveLength(2);
    await writer.close();
  });

  test.for([
    ["the first", 1],
    ["a later", 2],
  ] as const)("writes nothing twice if %s commit is stored but not confirmed", async ([, which]) => {
    const { control, writer, newRun, logged, log, clock } = await setUp();
    const runId = await newRun();
    control.failAfterCommit = (attempt) => (attempt === which ? new StorageBusyError("away") : undefined);
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("one "));
    if (which === 2) {
      await vi.waitFor(async () => expect(await logged(runId)).toHaveLength(2), waitOptions);
      await run.write(delta("two "));
    }
    await vi.waitFor(() => expect(log.takeErrors()).toHaveLength(1), waitOptions);
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

  test("ends a run once if the commit of its end is stored but not confirmed", async () => {
    const { control, writer, newRun, logged, log, clock } = await setUp();
    const runId = await newRun();
    const lost = vi.fn();
    control.failAfterCommit = (attempt) => (attempt === 1 ? new StorageBusyError("away") : undefined);
    const run = writer.open(runId, lost);
    await run.write(runStart);
    const finish = vi.fn(
      async (tx: Tx) => await changeRun(tx, runId, { state: "completed", ended_at: 7, lease_owner: null }),
    );
    const ended = run.end(runEnd, finish);
    await vi.waitFor(() => expect(log.takeErrors()).toHaveLength(1), waitOptions);
    clock.advance(300);
    expect(await ended).toBe(true);
    expect(lost).not.toHaveBeenCalled();
    expect(finish).toHaveBeenCalledTimes(1);
    expect(await logged(runId)).toEqual([runStart, runEnd]);
    await writer.close();
  });

  test("confirms that a run waits, even if the run was resumed before the commit is confirmed", async () => {
    const { control, writer, newRun, logged, log, clock, leaseOwner } = await setUp();
    const runId = await newRun();
    control.failAfterCommit = (attempt) => (attempt === 1 ? new StorageBusyError("away") : undefined);
    const first = writer.open(runId, () => {});
    await first.write(runStart);
    const wait: RunEvent = { type: "run-wait", parts: [] };
    const ended = first.end(
      wait,
      async (tx) => await changeRun(tx, runId, { state: "requires-action", lease_owner: null }),
    );
    await vi.waitFor(() => expect(log.takeErrors()).toHaveLength(1), waitOptions);
    await real.write(async (tx) => await changeRun(tx, runId, { state: "running", lease_owner: leaseOwner }));
    const second = writer.open(runId, () => {}, true);
    expect(await ended).toBe(true);
    clock.advance(300);
    expect(await second.end(runEnd, async () => {})).toBe(true);
    expect(await logged(runId)).toEqual([runStart, wait, runEnd]);
    await writer.close();
  });

  test("settles an end that is requested while the lease turns out to be lost", async () => {
    const { control, writer, newRun } = await setUp();
    const runId = await newRun();
    await real.write(async (tx) => await changeRun(tx, runId, { lease_owner: "another" }));
    const gate = Promise.withResolvers<void>();
    control.gate = gate.promise;
    const lost = vi.fn();
    const run = writer.open(runId, lost, true);
    await run.write(delta("no longer mine"));
    await vi.waitFor(() => expect(control.writes).toBe(1), waitOptions);
    const finish = vi.fn();
    const ended = run.end(runEnd, finish);
    gate.resolve();
    expect(await ended).toBe(false);
    expect(lost).toHaveBeenCalledTimes(1);
    expect(finish).not.toHaveBeenCalled();
    await writer.close();
  });

  test("settles an end that is requested while a batch turns out not to be storable", async () => {
    const { control, writer, newRun, log } = await setUp();
    const runId = await newRun();
    const gate = Promise.withResolvers<void>();
    control.gate = gate.promise;
    control.failAfterCommit = () => new Error("this text cannot be stored");
    const lost = vi.fn();
    const run = writer.open(runId, lost, true);
    await run.write(delta("x"));
    await vi.waitFor(() => expect(control.writes).toBe(1), waitOptions);
    const ended = run.end(runEnd, async () => {});
    gate.resolve();
    expect(await ended).toBe(false);
    expect(lost).toHaveBeenCalledTimes(1);
    expect(log.takeErrors()).toEqual([expect.stringContaining("this text cannot be stored")]);
    await writer.close();
  });

  test("writes the other runs if one cannot be stored", async () => {
    const { writer, newRun, logged, log } = await setUp();
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

  test("makes a model wait that is faster than the database", async () => {
    const { control, writer, newRun } = await setUp();
    const runId = await newRun();
    const gate = Promise.withResolvers<void>();
    control.gate = gate.promise;
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("x"));
    await vi.waitFor(() => expect(control.writes).toBe(1), waitOptions);
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

  test("writes pending events before it closes", async () => {
    const { writer, newRun, logged } = await setUp();
    const runId = await newRun();
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("the last words"));
    await writer.close();
    expect(await logged(runId)).toEqual([runStart, delta("the last words")]);
  });

  test("closes after a timeout if the database stays unavailable", async () => {
    const { control, writer, newRun, log, logged, clock } = await setUp();
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
    }, waitOptions);
    await closing;
    expect(await logged(runId)).toEqual([]);
    expect(log.takeErrors().length).toBeGreaterThan(0);
  });

  test("does not write while half a surrogate pair waits for its other half", async () => {
    const { control, writer, newRun, logged } = await setUp();
    const runId = await newRun();
    const run = writer.open(runId, () => {});
    await run.write(runStart);
    await run.write(delta("a\ud83d"));
    await vi.waitFor(async () => expect(await logged(runId)).toHaveLength(2), waitOptions);
    const { writes } = control;
    // Six flush intervals: it would have written by now.
    await new Promise((resolve) => setTimeout(resolve, 6 * limits.flushIntervalMs));
    expect(control.writes).toBe(writes);
    await run.write(delta("\ude00"));
    expect(await run.end(runEnd, async () => {})).toBe(true);
    expect(await logged(runId)).toEqual([runStart, delta("a"), delta("😀"), runEnd]);
    await writer.close();
  });
});

describe("the intervals of the writer", () => {
  test("are imperceptible, even with a slow database", () => {
    expect(limits.flushIntervalMs).toBeLessThanOrEqual(50);
    expect(limits.flushIntervalMaxMs).toBeLessThanOrEqual(200);
    expect(limits.runLeaseMs).toBeGreaterThanOrEqual(3 * limits.runHeartbeatMs);
  });
});
