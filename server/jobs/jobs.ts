import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { SteadyClock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { createStaleLeases } from "./stale-leases.ts";
import { kinds, type Kind, type Payloads } from "./kinds.ts";
import * as rows from "./rows.ts";

/** 15 s: how late a job is found that another process has left, or that comes due earlier than this process knew. */
const pollMs = 15_000;
/** Further than any job is ever due: the clock was wrong, and has been set back. */
const furthestMs = 60 * 60_000;
/** How many rows one look reads. */
const batch = 500;
/** How long work has to end when the server stops. What has not ended by then is handed back. */
const closeMs = 3_000;

/** How often a repeated job is begun again at once after its process died. */
const repeatedDeathsMax = 3;

/** Published when a process hands jobs back. */
const handedBackTopic = "jobs";

const allKinds = Object.keys(kinds) as Kind[];
const once = allKinds.filter((kind) => kinds[kind].everyMs === undefined);
const repeated = allKinds.flatMap((kind): [Kind, number][] => {
  const { everyMs } = kinds[kind];
  return everyMs === undefined ? [] : [[kind, everyMs]];
});

/** What a job is about. It is deleted with its thread or workspace, and when its user is erased. */
export type About = { threadId?: string; workspaceId?: string; userId?: string };

/** How each kind of job is done. A job that `signal` interrupts is done again. */
export type Handlers = {
  [K in Kind]: (payload: Payloads[K], about: { userId: string | null }, signal: AbortSignal) => Promise<void>;
};
type AnyHandler = (payload: unknown, about: { userId: string | null }, signal: AbortSignal) => Promise<void>;

export type Jobs = ReturnType<typeof createJobs>;

/** All work in the background. Jobs are stored, and one of the servers of the database does each of them. */
export function createJobs({
  db,
  clock,
  logger,
}: {
  db: Database;
  clock: SteadyClock;
  logger: Pick<Logger, "warn" | "error">;
}) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const working = new Set<Promise<unknown>>();
  /** The jobs that this process does now, by id. */
  const held = new Map<string, rows.JobRow>();
  const staleLeases = createStaleLeases({ db, clock });
  let handlers: Handlers | undefined;
  let lookAgain = (): void => {};

  async function track<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const started = work(signal);
    working.add(started);
    try {
      return await started;
    } finally {
      working.delete(started);
    }
  }

  /**
   * Calls `work` after `firstMs`, and again after the time that it returns, or else `everyMs`, until the server stops. The
   * returned function ends the wait, as a publication of `topic` does.
   */
  function repeat(
    task: string,
    work: () => Promise<number | void>,
    { firstMs, everyMs, topic }: { firstMs: number; everyMs: number; topic?: string | undefined },
  ): () => void {
    let woken = new AbortController();
    const wake = () => woken.abort();
    if (topic !== undefined) db.pubSub.subscribe(topic, wake);
    void track(async () => {
      for (let waitMs = firstMs; ;) {
        await clock.sleep(waitMs, AbortSignal.any([signal, woken.signal])).catch(() => {});
        if (signal.aborted) return;
        woken = new AbortController();
        waitMs =
          (await work().catch((error: unknown) =>
            logger.error({ err: error }, `failed at ${task}; trying again`),
          )) ?? everyMs;
      }
    });
    return wake;
  }

  const newLease = (): rows.Lease => ({
    lease_owner: db.processName,
    lease_expires_at: clock.now() + limits.runLeaseMs,
  });

  const heldOf = (kind: Kind): rows.JobRow[] => [...held.values()].filter((job) => job.kind === kind);

  /** Whether this process may begin another job of this kind. */
  const hasRoomFor = (kind: Kind): boolean =>
    handlers !== undefined && !signal.aborted && heldOf(kind).length < kinds[kind].atOnce;

  /** The workspaces that have to wait for a job of this kind that this process does. */
  const busyWorkspaces = (kind: Kind): (string | null)[] =>
    kinds[kind].isOnePerWorkspace === true ? heldOf(kind).map((job) => job.workspace_id) : [];

  const mayBegin = ({ id, kind, workspace_id: workspaceId }: rows.JobRow): boolean =>
    !held.has(id) && hasRoomFor(kind) && !busyWorkspaces(kind).includes(workspaceId);

  /**
   * Begins what is due of these kinds, and up to `earlyMs` before, and what processes that died have left of all kinds.
   * Returns when to look again.
   */
  async function look(known: readonly Kind[], earlyMs = 0): Promise<number> {
    const nowMs = clock.now();
    const found = await rows.findJobs(db, allKinds.filter(hasRoomFor), {
      dueBy: nowMs + pollMs,
      dueAfter: nowMs + furthestMs,
      exceptIds: [...held.keys()],
      exceptWorkspaceIds: allKinds.flatMap(busyWorkspaces).filter((id) => id !== null),
      limit: batch,
    });
    const leased = found.filter((job) => job.lease_owner !== null);
    const stale = await staleLeases.find(() => Promise.resolve(leased));
    const free = found.filter((job) => job.lease_owner === null && known.includes(job.kind));
    const isDue = ({ due_at: dueMs }: rows.JobRow) => dueMs <= nowMs + earlyMs || dueMs > nowMs + furthestMs;
    let begun = 0;
    // A repeated job that its processes may have died of waits for its next time.
    const left = stale.filter(({ kind, attempts }) => known.includes(kind) || attempts < repeatedDeathsMax);
    for (const job of [...left, ...free.filter(isDue)])
      if (mayBegin(job) && (await hold(job, async (tx) => await rows.leaseJob(tx, job, newLease())))) begun++;
    if (begun > 0 && found.length === batch) return 0;
    const next = free.filter((job) => !isDue(job)).map((job) => job.due_at);
    return Math.max(0, Math.min(nowMs + pollMs, ...next) - clock.now());
  }

  /** Takes room for the job, and begins it if `lease` gets it. */
  async function hold(
    asked: rows.JobRow,
    lease: (tx: Tx) => Promise<rows.JobRow | undefined>,
  ): Promise<boolean> {
    held.set(asked.id, asked);
    const leased = db.write(lease);
    // The server waits for the lease too when it stops.
    void track(async () => {
      const job = await leased.catch(() => undefined);
      if (job === undefined) return void held.delete(asked.id);
      held.set(job.id, job);
      await work(job);
    });
    return (await leased) !== undefined;
  }

  async function work(job: rows.JobRow): Promise<void> {
    try {
      const next = await attempt(job);
      // It was handed back when the server stopped.
      if (!held.has(job.id)) return;
      await db.write(async (tx) => {
        if (next === undefined) return await rows.deleteJob(tx, job);
        if (signal.aborted) tx.publishOnCommit.add(handedBackTopic);
        await rows.releaseJob(tx, job, next);
      });
    } catch (error) {
      // The lease ends, and a process takes the job again.
      logger.error({ err: error, job: job.id }, "could not store the end of a job");
    } finally {
      held.delete(job.id);
      // One that waited for room may begin.
      lookAgain();
    }
  }

  /** Does the job. Returns when it is to be done again. */
  async function attempt(job: rows.JobRow): Promise<Pick<rows.JobRow, "due_at" | "attempts"> | undefined> {
    const { retryMs, everyMs } = kinds[job.kind];
    const next = everyMs === undefined ? undefined : { due_at: clock.now() + everyMs, attempts: 0 };
    try {
      // Processes that died began it too, the first of which may have died of something else.
      if (next === undefined && job.attempts > retryMs.length + 2) throw new Error("its processes died");
      await (handlers![job.kind] as AnyHandler)(JSON.parse(job.payload), { userId: job.user_id }, signal);
      return next;
    } catch (error) {
      if (signal.aborted) return { due_at: job.due_at, attempts: job.attempts - 1 };
      const afterMs = retryMs[job.attempts - 1];
      const what = afterMs === undefined ? "giving up" : "trying again";
      logger.warn({ err: error, job: job.id }, `a job failed; ${what}`);
      return afterMs === undefined ? next : { due_at: clock.now() + afterMs, attempts: job.attempts };
    }
  }

  async function renewLeases(): Promise<void> {
    if (held.size > 0) await db.write(async (tx) => await rows.renewLeases(tx, [...held.keys()], newLease()));
  }

  async function addRepeated(tx: Tx): Promise<void> {
    for (const [kind, everyMs] of repeated)
      await rows.insertJob(tx, newJob(kind, { id: kind, payload: null, dueAt: clock.now() + everyMs }));
  }

  return {
    /** Calls `work` in this process after every `everyMs`, and as soon as `topic`, if there is one, is published. */
    every(
      task: string,
      everyMs: number,
      work: (signal: AbortSignal) => Promise<unknown>,
      topic?: string,
    ): void {
      repeat(task, async () => void (await work(signal)), { firstMs: everyMs, everyMs, topic });
    },
    /** Does `work` now, for somebody who waits for it. It is aborted when the server stops, which waits for it. */
    track,
    /**
     * Stores a job of this kind about `key`, unless there is one, and begins it as soon as there is room. It survives this
     * process.
     */
    async add<K extends Kind>(kind: K, key: string, payload: Payloads[K], about: About): Promise<void> {
      const job = newJob(kind, { id: `${kind} ${key}`, payload, dueAt: clock.now() }, about);
      const insert = async (tx: Tx, row: rows.JobRow) => ((await rows.insertJob(tx, row)) ? row : undefined);
      if (mayBegin(job))
        await hold(job, async (tx) => await insert(tx, { ...job, ...newLease(), attempts: 1 }));
      else await db.write(async (tx) => void (await insert(tx, job)));
    },
    /** Begins to do jobs. */
    async start(given: Handlers): Promise<void> {
      await db.write(addRepeated);
      handlers = given;
      const { runHeartbeatMs: everyMs } = limits;
      repeat("renewing the leases of jobs", renewLeases, { firstMs: everyMs, everyMs });
      lookAgain = repeat("looking for jobs", async () => await look(once), {
        firstMs: 0,
        everyMs: pollMs,
        topic: handedBackTopic,
      });
      // Each process waits for these by a timer too: a sweep that began because the clock of the machine was moved would
      // delete what only seems to be old.
      for (const [kind, everyMs] of repeated)
        repeat(`looking for ${kind}`, async () => void (await look([kind], pollMs)), {
          firstMs: everyMs,
          everyMs,
        });
    },
    /** Stops all work. What has not ended after some seconds is left to other processes. */
    async close(): Promise<void> {
      stopping.abort(new AppError("shutting-down"));
      await Promise.race([Promise.allSettled(working), clock.sleep(closeMs)]);
      const left = [...held.values()];
      held.clear();
      if (left.length > 0)
        await db
          .write(async (tx) => {
            for (const job of left)
              await rows.releaseJob(tx, job, { due_at: job.due_at, attempts: job.attempts - 1 });
            tx.publishOnCommit.add(handedBackTopic);
          })
          // Their leases end.
          .catch((error: unknown) => logger.warn({ err: error }, "could not hand jobs back"));
    },
  };
}

/** Stores a job like `add`, in the transaction of what it follows. A server does it within 15 s. */
export async function addJobInTransaction<K extends Kind>(
  tx: Tx,
  job: { kind: K; key: string; payload: Payloads[K]; about: About },
  nowMs: number,
): Promise<void> {
  const { kind, key, payload, about } = job;
  await rows.insertJob(tx, newJob(kind, { id: `${kind} ${key}`, payload, dueAt: nowMs }, about));
}

function newJob(
  kind: Kind,
  { id, payload, dueAt }: { id: string; payload: unknown; dueAt: number },
  about: About = {},
): rows.JobRow {
  return {
    id,
    kind,
    payload: JSON.stringify(payload),
    due_at: dueAt,
    attempts: 0,
    lease_owner: null,
    lease_expires_at: null,
    thread_id: about.threadId ?? null,
    workspace_id: about.workspaceId ?? null,
    user_id: about.userId ?? null,
  };
}
