import { limits } from "#contract/limits.ts";
import { dropTopics, prune, pruneOlder } from "#storage/log/prune.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { StorageState } from "#server/lib/storage-state.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import type { Leases } from "../leases/leases.ts";
import type { Reaper } from "../leases/reaper.ts";
import * as rows from "../rows.ts";
import { runTopic, stopTopic } from "../log/topics.ts";

/** A feed is kept this long; who was away longer loads the rows afresh. */
const keepFeedMs = 24 * 60 * 60_000;
/** What is dropped in one transaction, in logs and in entries: some 10 ms of SQLite, so that no answer stutters. */
const logsPerBatch = 20;
const entriesPerBatch = 2_000;
const tidyEveryMs = 10 * 60_000;

/** What the process does by itself, on its clock: keeps its leases, ends abandoned runs, prunes logs, and other rooms' chores. */
export type Housekeeping = { stop(): Promise<void> };

export function startHousekeeping(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  leases: Leases;
  reaper: Reaper;
  /** A finished run's log is kept this long for readers who were away; its reply is stored for good. */
  keepRunLogMs: number;
  /** Looked at now and then, so that the log has what is wrong before anybody writes. */
  storage: StorageState;
  chores: Record<string, (signal: AbortSignal) => Promise<unknown>>;
}): Housekeeping {
  const { db, clock, logger, leases, reaper, chores, keepRunLogMs, storage } = options;
  const stopped = new AbortController();
  const loops = [
    every(limits.runHeartbeatMs, "keeping leases", async () => {
      const held = leases.held();
      if (held.length === 0) return;
      const expiresAt = clock.now() + limits.runLeaseMs;
      const askedToStop = await db.write(async (tx) => {
        await rows.renewLeases(tx, leases.owner, held, expiresAt);
        return await rows.findAskedToStop(tx, held);
      });
      // It was rung when it was asked; where that ring was lost, this one comes late.
      db.pubSub.publish(askedToStop.map(stopTopic));
    }),
    every(limits.runHeartbeatMs, "ending abandoned runs", async () => void (await reaper.sweep(false))),
    every(limits.runHeartbeatMs, "checking the storage", async () => {
      storage.database();
      storage.files();
    }),
    every(tidyEveryMs, "pruning logs", tidy),
    ...Object.entries(chores).map(
      async ([deed, work]) => await every(tidyEveryMs, deed, () => work(stopped.signal)),
    ),
  ];

  async function tidy(): Promise<void> {
    await sweep(dropOldLogs, { size: 1, clock, signal: stopped.signal });
    await pruneOlder(db, {
      prefix: "workspace:",
      beforeMs: clock.now() - keepFeedMs,
      signal: stopped.signal,
    });
  }

  /** Answers how many logs it dropped, or cut shorter where one is too long for one transaction. */
  async function dropOldLogs(): Promise<number> {
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
    const few = ended.filter((run) => (entries += run.entries) <= entriesPerBatch);
    await db.write(
      async (tx) =>
        await dropTopics(
          tx,
          few.map(({ id }) => runTopic(id)),
        ),
    );
    return few.length;
  }

  async function every(ms: number, deed: string, work: () => Promise<unknown>): Promise<void> {
    while (!stopped.signal.aborted) {
      await clock.sleep(ms, stopped.signal).catch(() => {});
      if (stopped.signal.aborted) return;
      await work().catch((error: unknown) => logger.error({ err: error }, `failed at ${deed}; trying again`));
    }
  }

  return {
    async stop() {
      stopped.abort();
      await Promise.all(loops);
    },
  };
}
