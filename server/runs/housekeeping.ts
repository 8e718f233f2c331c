import { limits } from "#contract/limits.ts";
import { dropTopics, pruneOlder } from "#storage/log/prune.ts";
import type { Database } from "#storage/sql/database.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { Leases } from "./leases.ts";
import type { Reaper } from "./reaper.ts";
import * as rows from "./rows.ts";
import { runTopic } from "./topics.ts";

/** A finished run's log is kept this long for readers who were away; its reply is stored for good. */
const keepRunLogMs = 60 * 60_000;
/** A feed is kept this long; who was away longer loads the rows afresh. */
const keepFeedMs = 24 * 60 * 60_000;
/** Logs that are dropped in one transaction: few, so that no answer stutters. */
const logsPerBatch = 20;
const tidyEveryMs = 10 * 60_000;

/** What the process does by itself, on its clock: keeps its leases, ends abandoned runs, prunes logs, and other rooms' chores. */
export type Housekeeping = { stop(): Promise<void> };

export function startHousekeeping(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  leases: Leases;
  reaper: Reaper;
  chores: Record<string, () => Promise<unknown>>;
}): Housekeeping {
  const { db, clock, logger, leases, reaper, chores } = options;
  const stopped = new AbortController();
  const loops = [
    every(limits.runHeartbeatMs, "keeping leases", async () => {
      const held = leases.held();
      const expiresAt = clock.now() + limits.runLeaseMs;
      if (held.length > 0)
        await db.write(async (tx) => await rows.renewLeases(tx, leases.owner, held, expiresAt));
    }),
    every(limits.runHeartbeatMs, "ending abandoned runs", async () => void (await reaper.sweep(false))),
    every(tidyEveryMs, "pruning logs", tidy),
    ...Object.entries(chores).map(async ([deed, work]) => await every(tidyEveryMs, deed, work)),
  ];

  async function tidy(): Promise<void> {
    for (;;) {
      const ended = await rows.findEndedWithLog(db, clock.now() - keepRunLogMs, logsPerBatch);
      if (ended.length > 0) await db.write(async (tx) => await dropTopics(tx, ended.map(runTopic)));
      if (ended.length < logsPerBatch || stopped.signal.aborted) break;
    }
    await pruneOlder(db, {
      prefix: "workspace:",
      beforeMs: clock.now() - keepFeedMs,
      signal: stopped.signal,
    });
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
