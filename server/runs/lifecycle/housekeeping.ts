import { limits } from "#contract/limits.ts";
import { dropTopics, prune, pruneOlder } from "#storage/log/prune.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import type { Leases } from "../leases/leases.ts";
import * as reservations from "#server/people/budgets/reservation-rows.ts";
import * as rows from "../rows.ts";
import { runTopic, stopTopic } from "../log/topics.ts";

/** Feed entries are kept this long. A client that was offline longer loads everything again. */
const keepFeedMs = 24 * 60 * 60_000;
/** One transaction deletes at most this much, which takes SQLite about 10 ms, so that answers are not delayed. */
const logsPerBatch = 20;
const entriesPerBatch = 2_000;

/** What keeps the runs of this process, and their logs: its leases are renewed, and old logs pruned. */
export function createHousekeeping(options: {
  db: Database;
  clock: Clock;
  leases: Leases;
  /** A finished run's log is kept this long for readers that were offline. Its reply is kept. */
  keepRunLogMs: number;
}) {
  const { db, clock, leases, keepRunLogMs } = options;

  /** Renews the leases of what this process works on. */
  async function renewLeases(): Promise<void> {
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
  }

  async function pruneLogs(signal: AbortSignal): Promise<void> {
    await sweep(deleteOldLogs, { size: 1, clock, signal });
    await pruneOlder(db, {
      prefix: "workspace:",
      beforeMs: clock.now() - keepFeedMs,
      signal,
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

  return { renewLeases, pruneLogs };
}
