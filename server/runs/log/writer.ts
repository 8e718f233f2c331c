import { limits } from "#contract/limits.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { append, bodyAt, type Append } from "#storage/log/log.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { StorageBusyError, StorageFullError } from "#storage/errors.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Threads } from "#server/threads/threads.ts";
import { createPending, type Pending } from "./pending-events.ts";
import * as rows from "../rows.ts";
import { createTickLength } from "./flush-interval.ts";
import { runTopic } from "./topics.ts";

/**
 * Writes the events of all runs of this process to their logs, together: one transaction per tick. The first event of
 * a run goes at once, the rest every 50 ms, stretching to 100 ms while commits are slow. An event is shown by nobody
 * before its transaction is committed, nothing is written for a run whose lease is another's, and nothing twice.
 */
export type Writer = {
  /** `begun`: its log has a beginning already, and goes on. */
  open(runId: string, lost: () => void, begun?: boolean): RunWriter;
  close(): Promise<void>;
};

export type RunWriter = {
  /** Hands over an event. Resolves when the writer is ready for more, which is at once unless commits lag behind. */
  write(event: RunEvent): Promise<void>;
  /**
   * Commits what waits, `event` as the last that this process says, and `finish` in the same transaction, which holds `threadId` before
   * anything else. False when the lease was lost.
   */
  end(event: RunEvent, finish: (tx: Tx) => Promise<void>, threadId?: string | null): Promise<boolean>;
};

/** Text that may wait for a commit, per run, before its model is held back. */
const pendingLengthMax = 256 * 1024;
/** First events of many runs wait this long for each other, so that the commits of a second are bounded. */
const urgentMs = 10;
/** A database that is away is asked again this often; the lease ends long before anyone gives up. */
const retryMs = 250;
/** A database that stays away this long at the end leaves the rest to the reaper of the next start. */
const closePatienceMs = 3_000;

type Entry = {
  runId: string;
  pending: Pending;
  lost: () => void;
  begun: boolean;
  end:
    | { threadId: string | null; finish: (tx: Tx) => Promise<void>; settle: (kept: boolean) => void }
    | undefined;
  /** What a database that was away did not take, or took and could not say so: asked again as it was, before anything else. */
  again: Taken | undefined;
  roomWaiters: (() => void)[];
};

type Taken = {
  entry: Entry;
  events: RunEvent[];
  end: Entry["end"];
  /** The number that a transaction gave its last event: by it the log can say whether that was committed. */
  lastSeq: number | undefined;
};

export function createWriter(options: {
  db: Database;
  clock: SteadyClock;
  logger: Logger;
  threads: Pick<Threads, "lockAll">;
  leaseOwner: string;
}): Writer {
  const { db, clock, logger, threads, leaseOwner } = options;
  const entries = new Map<string, Entry>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;
  let intervalMs: number = limits.tickMs;
  let lastFlushMs = 0;
  const tickLength = createTickLength();

  function schedule(urgent: boolean): void {
    if (flushing !== undefined) return;
    const waitMs = Math.max(0, lastFlushMs + (urgent ? urgentMs : intervalMs) - clock.elapsedMs());
    if (timer !== undefined) {
      if (!urgent) return;
      clearTimeout(timer);
    }
    timer = setTimeout(tick, waitMs);
  }

  function tick(): void {
    timer = undefined;
    flushing ??= flush().finally(() => {
      flushing = undefined;
      const left = waiting();
      if (left.length > 0) schedule(left.some((entry) => !entry.begun));
    });
  }

  function waiting(): Entry[] {
    return [...entries.values()].filter(
      (entry) =>
        entry.again !== undefined || entry.pending.size > (entry.begun ? 0 : 1) || entry.end !== undefined,
    );
  }

  async function flush(): Promise<void> {
    const batch = waiting().map(
      (entry): Taken =>
        entry.again ?? { entry, events: entry.pending.take(), end: entry.end, lastSeq: undefined },
    );
    lastFlushMs = clock.elapsedMs();
    await commit(batch);
    intervalMs = tickLength(clock.elapsedMs() - lastFlushMs);
  }

  async function commit(batch: Taken[]): Promise<void> {
    try {
      const kept = await db.writeFirst(async (tx) => await store(tx, batch));
      for (const taken of batch) settle(taken, kept.has(taken));
    } catch (error) {
      if (error instanceof StorageBusyError || error instanceof StorageFullError) {
        for (const taken of batch) taken.entry.again = taken;
        logger.error({ err: error, runs: batch.length }, "could not write answers; trying again");
        await clock.sleep(retryMs);
      } else if (batch.length > 1) {
        // One of them cannot be written. Each alone, so that it does not take the others along.
        for (const taken of batch) await commit([taken]);
      } else {
        for (const taken of batch) {
          logger.error({ err: error, runId: taken.entry.runId }, "could not write an answer; giving it up");
          settle(taken, false);
        }
      }
    }
  }

  /** Answers what of it is in the logs by the end of this transaction: all but what is another's to write. */
  async function store(tx: Tx, batch: Taken[]): Promise<Set<Taken>> {
    await threads.lockAll(tx, threadsOfEnds(batch));
    const held = await rows.holdLeased(
      tx,
      batch.map(({ entry }) => entry.runId),
      leaseOwner,
    );
    const kept = new Set<Taken>();
    for (const taken of batch) if (await isThere(tx, taken)) kept.add(taken);
    const ours = batch.filter((taken) => held.has(taken.entry.runId) && !kept.has(taken));
    const lastSeqs = await append(tx, ours.filter(({ events }) => events.length > 0).map(asAppend));
    for (const taken of ours) {
      taken.lastSeq = lastSeqs.get(runTopic(taken.entry.runId));
      await taken.end?.finish(tx);
      kept.add(taken);
    }
    return kept;
  }

  function settle({ entry, end }: Taken, kept: boolean): void {
    entry.begun = true;
    entry.again = undefined;
    if ((!kept || end !== undefined) && entries.get(entry.runId) === entry) entries.delete(entry.runId);
    if (!kept) entry.lost();
    // What was lost is lost to an end as well that was asked for meanwhile.
    (kept ? end : entry.end)?.settle(kept);
    for (const wake of entry.roomWaiters.splice(0)) wake();
  }

  return {
    open(runId, lost, begun = false) {
      const entry: Entry = {
        runId,
        pending: createPending(),
        lost,
        begun,
        end: undefined,
        again: undefined,
        roomWaiters: [],
      };
      // Only a run whose end was committed is taken up again, though nobody could say yet that it was.
      entries.get(runId)?.end?.settle(true);
      entries.set(runId, entry);
      return {
        async write(event) {
          // Lost: nobody takes it any more, and nobody would wake who waited for room. Ended: the end is the last.
          if (entries.get(runId) !== entry || entry.end !== undefined) return;
          entry.pending.add(event);
          // Alone it tells a reader nothing: it waits for what the model says first, and both go at once.
          if (event.type === "run-start") return;
          schedule(!entry.begun);
          if (entry.pending.length > pendingLengthMax)
            await new Promise<void>((resolve) => entry.roomWaiters.push(resolve));
        },
        async end(event, finish, threadId = null) {
          if (entries.get(runId) !== entry) return false;
          entry.pending.add(event);
          return await new Promise<boolean>((resolve) => {
            entry.end = { threadId, finish, settle: resolve };
            schedule(!entry.begun);
          });
        },
      };
    },
    async close() {
      const deadline = clock.elapsedMs() + closePatienceMs;
      while ((flushing !== undefined || waiting().length > 0) && clock.elapsedMs() < deadline) {
        if (flushing === undefined) {
          clearTimeout(timer);
          tick();
        }
        await flushing;
      }
      clearTimeout(timer);
    },
  };
}

function threadsOfEnds(batch: Taken[]): string[] {
  const ids = batch.map(({ end }) => end?.threadId ?? null);
  return [...new Set(ids)].filter((id) => id !== null);
}

/** Whether an earlier transaction kept it, whose commit nobody could tell of. No one else writes while the lease is ours. */
async function isThere(tx: Tx, { entry, events, lastSeq }: Taken): Promise<boolean> {
  if (lastSeq === undefined) return false;
  const topic = runTopic(entry.runId);
  if ((await bodyAt(tx.q, topic, lastSeq)) !== JSON.stringify(events.at(-1))) return false;
  tx.publishOnCommit.add(topic);
  return true;
}

function asAppend({ entry, events }: Taken): Append {
  return { topic: runTopic(entry.runId), bodies: events.map((event) => JSON.stringify(event)) };
}
