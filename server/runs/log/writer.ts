import { limits } from "#contract/limits.ts";
import type { RunEvent } from "#contract/run-events.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { StorageBusyError, StorageFullError } from "#storage/lib/errors.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Threads } from "#server/threads/threads.ts";
import type { CarriedOutCall } from "../calls/rows.ts";
import type { NewRequest } from "../requests/rows.ts";
import { createPendingEvents, type PendingEvents } from "./pending-events.ts";
import { storeBatches, type RunBatch } from "./store-batch.ts";

/**
 * Writes the events of all runs of this process to their logs, in one transaction per flush. The first words and the last
 * events of a run are flushed immediately, the others every 50 ms, or up to every 100 ms while commits are slow. Each event is
 * stored once, only under this process's lease, and no reader sees it before its transaction is committed.
 */
export type Writer = {
  /** `onLost` is called when the run's lease is lost. `hasLog`: the run has a log, which it continues. */
  open(runId: string, onLost: () => void, hasLog?: boolean): RunWriter;
  /** Writes everything that is pending, unless the database stays unavailable. */
  close(): Promise<void>;
};

type RunWriter = {
  /** Adds an event. Resolves when the writer accepts more: at once, unless commits are slower than the model. */
  write(event: RunEvent): Promise<void>;
  /** Adds a request to a model, which is stored with the next events. */
  record(request: NewRequest): void;
  /** Adds a tool call that ended, which is stored with the next events. */
  recordCall(call: CarriedOutCall): void;
  /**
   * Commits the pending events and the last `event`, if there is one, with `finish` in the same transaction. That
   * transaction locks the thread first. Returns false if the lease was lost.
   */
  end(
    event: RunEvent | undefined,
    finish: (tx: Tx) => Promise<void>,
    threadId?: string | null,
  ): Promise<boolean>;
};

/** The model waits while more text than this is pending, per run. */
const pendingLengthMax = 256 * 1024;
/** Urgent events of several runs wait this long for each other, which limits the number of commits per second. */
const urgentFlushMs = 10;
/** The first batches of a run are flushed at once: Markdown often begins with a token that shows nothing, such as `## `. */
const urgentBatches = 3;
const retryMs = 250;
/** If the database stays unavailable for this long at the end, the rest is left to the reaper of the next start. */
const closeTimeoutMs = 3_000;

type OpenRun = {
  runId: string;
  pending: PendingEvents;
  requests: NewRequest[];
  calls: CarriedOutCall[];
  onLost: () => void;
  hasLog: boolean;
  /** The number of batches of this process. */
  batches: number;
  end: (NonNullable<RunBatch["end"]> & { resolve: (isStored: boolean) => void }) | undefined;
  /** The batch whose commit failed or was not confirmed. It is retried unchanged before anything else. */
  failed: Batch | undefined;
  waitingWrites: (() => void)[];
};

type Batch = RunBatch & { run: OpenRun; end: OpenRun["end"] };

export function createWriter(options: {
  db: Database;
  clock: SteadyClock;
  logger: Logger;
  threads: Pick<Threads, "lockAll">;
  leaseOwner: string;
}): Writer {
  const { db, clock, logger } = options;
  const runs = new Map<string, OpenRun>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;
  let intervalMs: number = limits.flushIntervalMs;
  let lastFlushMs = 0;
  const nextInterval = createFlushInterval();

  function schedule(isUrgent: boolean): void {
    if (flushing !== undefined) return;
    const waitMs = Math.max(0, lastFlushMs + (isUrgent ? urgentFlushMs : intervalMs) - clock.elapsedMs());
    if (timer !== undefined) {
      if (!isUrgent) return;
      clearTimeout(timer);
    }
    timer = setTimeout(startFlush, waitMs);
  }

  function startFlush(): void {
    timer = undefined;
    flushing ??= flush().finally(() => {
      flushing = undefined;
      const waiting = runsToFlush();
      if (waiting.length > 0) schedule(waiting.some(isUrgent));
    });
  }

  function runsToFlush(): OpenRun[] {
    return [...runs.values()].filter(
      (run) => run.failed !== undefined || run.pending.size > (run.hasLog ? 0 : 1) || run.end !== undefined,
    );
  }

  async function flush(): Promise<void> {
    const batches = runsToFlush().map((run): Batch => {
      const { runId, failed, pending, requests, calls, end } = run;
      if (failed !== undefined) return failed;
      run.batches += 1;
      return {
        run,
        runId,
        events: pending.take(),
        requests: requests.splice(0),
        calls: calls.splice(0),
        end,
        lastSeq: undefined,
      };
    });
    lastFlushMs = clock.elapsedMs();
    await commit(batches);
    intervalMs = nextInterval(clock.elapsedMs() - lastFlushMs);
  }

  async function commit(batches: Batch[]): Promise<void> {
    try {
      const stored = await db.writeFirst(async (tx) => await storeBatches(tx, batches, options));
      for (const batch of batches) settle(batch, stored.has(batch));
    } catch (error) {
      if (error instanceof StorageBusyError || error instanceof StorageFullError) {
        for (const batch of batches) batch.run.failed = batch;
        logger.error({ err: error, runs: batches.length }, "could not write answers; trying again");
        await clock.sleep(retryMs);
      } else if (batches.length > 1) {
        // One of them cannot be stored. Commit each alone, so that the others are not lost with it.
        for (const batch of batches) await commit([batch]);
      } else {
        for (const batch of batches) {
          logger.error({ err: error, runId: batch.runId }, "could not write an answer; giving it up");
          settle(batch, false);
        }
      }
    }
  }

  function settle({ run, end }: Batch, isStored: boolean): void {
    run.hasLog = true;
    run.failed = undefined;
    if ((!isStored || end !== undefined) && runs.get(run.runId) === run) runs.delete(run.runId);
    if (!isStored) run.onLost();
    // After a failure, an end that was requested during the commit fails too.
    (isStored ? end : run.end)?.resolve(isStored);
    for (const resume of run.waitingWrites.splice(0)) resume();
  }

  function writerOf(run: OpenRun): RunWriter {
    return {
      async write(event) {
        // Ignore events after the end or after the lease was lost: a write that waits then would never be woken.
        if (runs.get(run.runId) !== run || run.end !== undefined) return;
        run.pending.add(event);
        // `run-start` alone has nothing to show. It is committed together with the model's first event.
        if (event.type === "run-start") return;
        schedule(isUrgent(run));
        if (run.pending.length > pendingLengthMax)
          await new Promise<void>((resolve) => run.waitingWrites.push(resolve));
      },
      record: (request) => void run.requests.push(request),
      recordCall: (call) => void run.calls.push(call),
      async end(event, finish, threadId = null) {
        if (runs.get(run.runId) !== run) return false;
        if (event !== undefined) run.pending.add(event);
        return await new Promise<boolean>((resolve) => {
          run.end = { threadId, finish, resolve };
          schedule(isUrgent(run));
        });
      },
    };
  }

  return {
    open(runId, onLost, hasLog = false) {
      const run: OpenRun = {
        runId,
        pending: createPendingEvents(),
        requests: [],
        calls: [],
        onLost,
        hasLog,
        batches: 0,
        end: undefined,
        failed: undefined,
        waitingWrites: [],
      };
      // A run is opened again only after its previous end was committed, even if the commit was not confirmed.
      runs.get(runId)?.end?.resolve(true);
      runs.set(runId, run);
      return writerOf(run);
    },
    async close() {
      const deadlineMs = clock.elapsedMs() + closeTimeoutMs;
      while ((flushing !== undefined || runsToFlush().length > 0) && clock.elapsedMs() < deadlineMs) {
        if (flushing === undefined) {
          clearTimeout(timer);
          startFlush();
        }
        await flushing;
      }
      clearTimeout(timer);
    },
  };
}

/** Whether a reader waits for the run's first words or for its end. */
function isUrgent({ batches, end }: OpenRun): boolean {
  return batches < urgentBatches || end !== undefined;
}

/** The share of time that commits may use. Models and readers need the rest, so slower commits have longer intervals. */
const commitShare = 0.2;
/** The average is over about this many commits. */
const averageOver = 8;

/**
 * Computes the writer's next flush interval in milliseconds from the duration of its commits. A single slow commit hardly
 * changes it, because it says little about the next one.
 */
export function createFlushInterval(): (commitMs: number) => number {
  let averageMs = 0;
  return (commitMs) => {
    averageMs += (Math.min(commitMs, limits.flushIntervalMaxMs * commitShare) - averageMs) / averageOver;
    return Math.max(limits.flushIntervalMs, averageMs / commitShare);
  };
}
