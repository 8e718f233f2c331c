import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Database } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { addThread } from "#storage/testing/rows.ts";
import { createManualClock } from "#tests/support/manual-clock.ts";
import { createJobs, type Handlers } from "./jobs.ts";
import { kinds } from "./kinds.ts";
import { eraseJobs } from "./rows.ts";

const waitOptions = { timeout: 5_000, interval: 5 };

const nothing = async () => await Promise.resolve();
const unused: Handlers = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, nothing])) as never;

function setUp(db: Database, handlers: Partial<Handlers>) {
  const clock = createManualClock();
  const logger = { warn: vi.fn(), error: vi.fn() };
  const jobs = createJobs({ db, clock, logger });
  const start = async () => await jobs.start({ ...unused, ...handlers });
  return { jobs, clock, logger, start };
}

const stored = async (db: Database) =>
  await db.read.selectFrom("jobs").selectAll().where("kind", "!=", "sweep").execute();

/** The row of the job that `compact` adds for the run "first". */
const blank = {
  id: "compaction first",
  kind: "compaction",
  payload: "null",
  due_at: 0,
  attempts: 0,
  lease_owner: null,
  lease_expires_at: null,
  thread_id: null,
  workspace_id: null,
  user_id: null,
};

const compact = async ({ jobs }: ReturnType<typeof setUp>, runId: string, about = {}) =>
  await jobs.add("compaction", runId, { runId }, about);

describeEveryEngine("a job", (open) => {
  test("is done once, and not stored any longer", async () => {
    const db = await open();
    const done: string[] = [];
    const one = setUp(db, { compaction: async ({ runId }) => void done.push(runId) });
    await one.start();
    await compact(one, "first");
    await compact(one, "second");
    await vi.waitFor(async () => expect(await stored(db)).toEqual([]), waitOptions);
    await one.jobs.close();
    expect(done).toEqual(["first", "second"]);
    expect(one.logger.error).not.toHaveBeenCalled();
  });

  test("does not wait twice", async () => {
    const db = await open();
    const one = setUp(db, {});
    await compact(one, "first");
    await compact(one, "first");
    expect(await stored(db)).toHaveLength(1);
  });

  test("is repeated with growing pauses when it fails, and then given up", async () => {
    const db = await open();
    let attempts = 0;
    const one = setUp(db, {
      title() {
        attempts++;
        return Promise.reject(new Error("the database is away"));
      },
    });
    await one.start();
    await one.jobs.add("title", "first", { runId: "first" }, {});
    for (const [before, pauseMs] of [10_000, 60_000, 600_000].entries()) {
      await vi.waitFor(async () => {
        const [job] = await stored(db);
        expect(job).toMatchObject({ attempts: before + 1, lease_owner: null });
        expect(job!.due_at - one.clock.now()).toBeGreaterThan(pauseMs - 5_000);
      }, waitOptions);
      one.clock.advance(pauseMs);
    }
    await vi.waitFor(async () => expect(await stored(db)).toEqual([]), waitOptions);
    await one.jobs.close();
    expect(attempts).toBe(4);
    expect(one.logger.warn).toHaveBeenCalledTimes(4);
  });

  test("is handed back when the server stops, and the next server does it", async () => {
    const db = await open();
    const begun = Promise.withResolvers<void>();
    const one = setUp(db, {
      compaction: async (_, __, signal) => {
        begun.resolve();
        await new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason as Error)),
        );
      },
    });
    await one.start();
    await compact(one, "first");
    await begun.promise;
    await one.jobs.close();
    expect(await stored(db)).toMatchObject([{ lease_owner: null, attempts: 0 }]);
    // What is added while the server stops waits too.
    await compact(one, "second");
    const done: string[] = [];
    const next = setUp(db, { compaction: async ({ runId }) => void done.push(runId) });
    await next.start();
    await vi.waitFor(async () => expect(await stored(db)).toEqual([]), waitOptions);
    await next.jobs.close();
    expect(done.toSorted()).toEqual(["first", "second"]);
    expect(one.logger.warn).not.toHaveBeenCalled();
  });

  test("that is stored just when the server stops is handed back before the server has stopped", async () => {
    const db = await open();
    const one = setUp(db, {
      compaction: async (_, __, signal) => {
        for (let n = 0; n < 10; n++) await stored(db);
        signal.throwIfAborted();
      },
    });
    await one.start();
    const inserted = Promise.withResolvers<void>();
    const stopping = Promise.withResolvers<void>();
    // Lets the insertion of the job wait, and then succeed.
    const undone = db.write(async (tx) => {
      await tx.q.insertInto("jobs").values(blank).execute();
      inserted.resolve();
      await stopping.promise;
      throw new Error("undone");
    });
    await inserted.promise;
    const added = compact(one, "first");
    const closed = one.jobs.close();
    stopping.resolve();
    await expect(undone).rejects.toThrow("undone");
    await closed;
    expect(await stored(db)).toMatchObject([{ lease_owner: null, attempts: 0 }]);
    await added;
    expect(one.logger.error).not.toHaveBeenCalled();
  });

  test("that does not end with its server is handed back too, and its end is ignored", async () => {
    const place = await open.place();
    const db = await openDatabase(place);
    const late = Promise.withResolvers<void>();
    const one = setUp(db, { compaction: async () => await late.promise });
    await one.start();
    await compact(one, "first");
    const closed = one.jobs.close();
    const hurry = setInterval(() => one.clock.advance(1_000), 5);
    await closed;
    clearInterval(hurry);
    expect(await stored(db)).toMatchObject([{ lease_owner: null, attempts: 0 }]);
    await db.close();
    late.resolve();
    await setImmediate();
    expect(one.logger.error).not.toHaveBeenCalled();
  });

  test("is deleted with its thread", async () => {
    const db = await open();
    await db.write(async (tx) => await addThread(tx, "garden"));
    await compact(setUp(db, {}), "first", { threadId: "garden", workspaceId: "garden" });
    expect(await stored(db)).toHaveLength(1);
    await db.write(async (tx) => void (await tx.q.deleteFrom("threads").execute()));
    expect(await stored(db)).toEqual([]);
  });

  test("is deleted when its user is erased", async () => {
    const db = await open();
    await db.write(async (tx) => {
      await addThread(tx, "garden");
      await addThread(tx, "kitchen");
    });
    const one = setUp(db, {});
    await compact(one, "hers", { userId: "ada", workspaceId: "garden" });
    await compact(one, "of another app", { userId: "ada", workspaceId: "kitchen" });
    await compact(one, "his", { userId: "ben" });
    await db.write(async (tx) => await eraseJobs(tx, { appId: "garden", userId: "ada" }));
    const left = (await stored(db)).map(({ id }) => id).toSorted();
    expect(left).toEqual(["compaction his", "compaction of another app"]);
  });

  test("waits while its process does one of the same workspace, and others do not", async () => {
    const db = await open();
    await db.write(async (tx) => {
      await addThread(tx, "garden");
      await addThread(tx, "kitchen");
    });
    const begun: string[] = [];
    const first = Promise.withResolvers<void>();
    const one = setUp(db, {
      "client-title": async ({ threadId }) => {
        begun.push(threadId);
        if (threadId === "a") await first.promise;
      },
    });
    await one.start();
    const add = async (threadId: string, workspaceId: string) =>
      await one.jobs.add("client-title", threadId, { visitor: {} as never, threadId }, { workspaceId });
    await add("a", "garden");
    await add("b", "garden");
    await add("c", "kitchen");
    await vi.waitFor(() => expect(begun).toEqual(["a", "c"]), waitOptions);
    first.resolve();
    await vi.waitFor(() => expect(begun).toEqual(["a", "c", "b"]), waitOptions);
    await one.jobs.close();
  });
});

describeEveryEngine("several servers", (open, engine) => {
  test("do each job once, and one of them what is due every ten minutes", async () => {
    const place = await open.place();
    const dbs =
      engine === "sqlite" ? [await open.at(place)] : await Promise.all([1, 2, 3].map(() => open.at(place)));
    const done: string[] = [];
    let sweeps = 0;
    const servers = dbs.map((db) =>
      setUp(db, {
        compaction: async ({ runId }) => void done.push(runId),
        sweep: async () => void sweeps++,
      }),
    );
    const runIds = Array.from({ length: 20 }, (_, n) => `run ${n}`);
    for (const [n, runId] of runIds.entries()) await compact(servers[n % servers.length]!, runId);
    for (const { start } of servers) await start();
    await vi.waitFor(async () => expect(await stored(dbs[0]!)).toEqual([]), waitOptions);
    for (const round of [1, 2]) {
      for (const { clock } of servers) clock.advance(10 * 60_000 + 1_000);
      await vi.waitFor(() => expect(sweeps).toBe(round), waitOptions);
      const idle = async () =>
        await dbs[0]!.read.selectFrom("jobs").select("id").where("lease_owner", "is not", null).execute();
      await vi.waitFor(async () => expect(await idle()).toEqual([]), waitOptions);
    }
    for (const { jobs } of servers) await jobs.close();
    expect(done.toSorted()).toEqual(runIds.toSorted());
    expect(sweeps).toBe(2);
  });

  test("take the jobs of one that died, unless it died of them", async () => {
    const place = await open.place();
    const died = await openDatabase(place);
    const stuck = async () => await new Promise<never>(() => {});
    const never = setUp(died, { compaction: stuck, title: stuck });
    await never.start();
    await compact(never, "first");
    await never.jobs.add("title", "second", { runId: "second" }, {});
    await compact(never, "third");
    await died.write(async (tx) => {
      await tx.q.updateTable("jobs").set({ attempts: 3 }).where("id", "=", "compaction third").execute();
    });
    await died.close();
    const db = await open.at(place);
    const titled: string[] = [];
    const next = setUp(db, {
      title: async ({ runId }) => void titled.push(runId),
      compaction: () => Promise.reject(new Error("begun again")),
    });
    await next.start();
    await vi.waitFor(async () => expect(await stored(db)).toEqual([]), waitOptions);
    await next.jobs.close();
    expect(titled).toEqual(["second"]);
    const reasons = next.logger.warn.mock.calls.map(([{ err }]) => (err as Error).message);
    expect(reasons.toSorted()).toEqual(["begun again", "its processes died"]);
  });

  test("take what is repeated of one that died soon, unless processes die of it", async () => {
    const place = await open.place();
    for (const deaths of [1, 2, 3]) {
      const died = await openDatabase(place);
      const begun = vi.fn(async () => await new Promise<never>(() => {}));
      const never = setUp(died, { sweep: begun });
      await never.start();
      if (deaths === 1) never.clock.advance(10 * 60_000 + 1_000);
      await vi.waitFor(() => expect(begun).toHaveBeenCalledOnce(), waitOptions);
      await died.close();
    }
    const db = await open.at(place);
    const sweep = vi.fn(nothing);
    const next = setUp(db, { sweep });
    await next.start();
    await compact(next, "first");
    await vi.waitFor(async () => expect(await stored(db)).toEqual([]), waitOptions);
    expect(sweep).not.toHaveBeenCalled();
    next.clock.advance(10 * 60_000 + 1_000);
    await vi.waitFor(() => expect(sweep).toHaveBeenCalledOnce(), waitOptions);
    await next.jobs.close();
  });
});
