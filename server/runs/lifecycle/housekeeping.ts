import { limits } from "#contract/limits.ts";
import { dropTopics, prune, pruneOlder } from "#storage/log/prune.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { StorageState } from "#server/lib/storage-state.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import type { Leases } from "../leases/leases.ts";
import type { Reaper } from "../leases/reaper.ts";
import * as reservations from "#server/people/budgets/reservation-rows.ts";
import * as rows from "../rows.ts";
import { handedOverTopic, runTopic, stopTopic } from "../log/topics.ts";

/** Feed entries are kept this long. A client that was offline longer loads everything again. */
const keepFeedMs = 24 * 60 * 60_000;
/** One transaction deletes at most this much, which takes SQLite about 10 ms, so that answers are not delayed. */
const logsPerBatch = 20;
const entriesPerBatch = 2_000;
const pruneEveryMs = 10 * 60_000;
/** A second: people wait in front of an answer whose process has ended. A sweep takes three short statements. */
const sweepEveryMs = 1_000;
/** A minute: by then, answers in threads that are to be erased have stopped. */
const eraseEveryMs = 60_000;

/** The periodic tasks of a process: renews its leases, ends abandoned runs, prunes logs, and runs the tasks of other modules. */
export type Housekeeping = { stop(): Promise<void> };

export function startHousekeeping(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  leases: Leases;
  reaper: Reaper;
  /** A finished run's log is kept this long for readers that were offline. Its reply is kept. */
  keepRunLogMs: number;
  /** Checked periodically, so that the log shows a full disk before a write fails. */
  storage: StorageState;
  /** Called every minute. */
  eraseTemporary: () => Promise<void>;
  tasks: Record<string, (signal: AbortSignal) => Promise<unknown>>;
}): Housekeeping {
  const { db, clock, logger, leases, reaper, tasks, keepRunLogMs, storage } = options;
  const stopped = new AbortController();
  const loops = [
    repeat(limits.runHeartbeatMs, "renewing leases", async () => {
      const held = leases.held();
      const requests = leases.heldRequests();
      if (held.length + requests.length === 0) return;
      const expiresAt = clock.now() + limits.runLeaseMs;
      const stopRequested = await db.write(async (tx) => {
        if (requests.length > 0) await reservations.renewLeases(tx, requests, expiresAt);
        await rows.renewLeases(tx, leases.owner, held, expiresAt);
        return await rows.findStopRequested(tx, held);
      });
      // For requests whose own notification was lost.
      db.pubSub.publish(stopRequested.map(stopTopic));
    }),
    repeat(sweepEveryMs, "ending abandoned runs", async () => void (await reaper.sweep()), handedOverTopic),
    repeat(limits.runHeartbeatMs, "checking the storage", async () => {
      storage.database();
      storage.files();
    }),
    repeat(eraseEveryMs, "erasing temporary threads", options.eraseTemporary),
    repeat(pruneEveryMs, "pruning logs", pruneLogs),
    ...Object.entries(tasks).map(
      async ([task, work]) => await repeat(pruneEveryMs, task, () => work(stopped.signal)),
    ),
  ];

  async function pruneLogs(): Promise<void> {
    await sweep(deleteOldLogs, { size: 1, clock, signal: stopped.signal });
    await pruneOlder(db, {
      prefix: "workspace:",
      beforeMs: clock.now() - keepFeedMs,
      signal: stopped.signal,
    });
  }

  /** Returns how many logs it deleted. It only shortens a log that is too long for one transaction. */
  async function deleteOldLogs(): Promise<number> {
    const ended = await rows.findEndedWithLog(db, clock.now() - keepRunLogMs, logsPerBatch);
    const [first] = ended;
    if (first === undefined) return 0;
    if (first.entries > entriesPerBatch) {
      await db.write(
        async (tx) => void (await prune(tx, runTopic(first.id), first.prunedSeq + entriesPerBatch)),
      );
      return 1;
    }
    let entries = 0;
    const batch = ended.filter((run) => (entries += run.entries) <= entriesPerBatch);
    await db.write(
      async (tx) =>
        await dropTopics(
          tx,
          batch.map(({ id }) => runTopic(id)),
        ),
    );
    return batch.length;
  }

  /** Calls `work` after every `everyMs`, and as soon as `topic`, if there is one, is published. */
  async function repeat(
    everyMs: number,
    task: string,
    work: () => Promise<unknown>,
    topic?: string,
  ): Promise<void> {
    let woken = new AbortController();
    const unsubscribe = topic === undefined ? () => {} : db.pubSub.subscribe(topic, () => woken.abort());
    while (!stopped.signal.aborted) {
      await clock.sleep(everyMs, AbortSignal.any([stopped.signal, woken.signal])).catch(() => {});
      if (stopped.signal.aborted) return unsubscribe();
      woken = new AbortController();
      await work().catch((error: unknown) => logger.error({ err: error }, `failed at ${task}; trying again`));
    }
  }

  return {
    async stop() {
      stopped.abort();
      await Promise.all(loops);
    },
  };
}
