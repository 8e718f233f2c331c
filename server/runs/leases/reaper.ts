import { fold } from "#contract/fold.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import { isStillUncarried, type EndUncarried } from "../lifecycle/end-orphaned.ts";
import type { Leases } from "./leases.ts";
import { readRunLog, type RunLog } from "../log/run-log.ts";
import * as rows from "../rows.ts";
import type { GoOn } from "../loop/runner.ts";
import { findStale, type Watched } from "./stale-leases.ts";

/**
 * Looks after the runs that nobody carries any more: their process died, and its lease stands still. What was said of the
 * answer is in the log, and becomes the reply; a run that had said nothing yet is simply asked again. Runs that wait for
 * a person are left to wait, unless they were asked to stop or their thread is gone.
 */
export type Reaper = {
  /**
   * Ends every run whose lease was not renewed for as long as one lasts; at the start of a lone process (`alsoOthers`)
   * every one that it did not begin. Answers how many were interrupted.
   */
  sweep(alsoOthers: boolean): Promise<number>;
};

/** Older than this, a question is not asked again by itself: the person has long gone on. */
const askAgainMs = 10 * 60_000;

/** Begins a run anew under this process's lease, or goes on with it where `goOn` says how. */
export type AskAgain = (run: rows.RunRow, goOn?: GoOn) => Promise<void>;

export function createReaper(options: {
  db: Database;
  clock: SteadyClock;
  logger: Logger;
  leases: Leases;
  endUncarried: EndUncarried;
  askAgain: AskAgain;
}): Reaper {
  const { db, clock, logger, leases, endUncarried } = options;
  const watched: Watched = new Map();

  async function askedAgain(run: rows.RunRow): Promise<boolean> {
    if (run.state !== "running" || run.origin !== "own" || run.stop_requested_at !== null) return false;
    if (run.asked_again >= limits.askedAgainMax) return false;
    const log = await readRunLog(db, run.id);
    const last = log.events.at(-1);
    if (log.seq > 0 && last?.type !== "run-resume") return false;
    // A run that waited for days was taken up when it was answered.
    const sinceMs = last?.type === "run-resume" ? last.at : run.created_at;
    const goOn = last === undefined ? undefined : resumption(log);
    if (sinceMs < clock.now() - askAgainMs || goOn === "unknown") return false;
    const lease = {
      lease_owner: leases.owner,
      lease_expires_at: clock.now() + limits.runLeaseMs,
      // Before it is asked: it may be what kills its process.
      asked_again: run.asked_again + 1,
    };
    const isOurs = await db.write(async (tx) => {
      if (!(await isStillUncarried(tx, run))) return false;
      await rows.changeRun(tx, run.id, lease);
      return true;
    });
    if (!isOurs) return true;
    logger.warn({ runId: run.id }, "a run had said nothing when its process went; asking again");
    await options.askAgain({ ...run, ...lease }, goOn);
    return true;
  }

  return {
    async sweep(alsoOthers) {
      const stale = await findStale(watched, { db, clock, leases, alsoOthers });
      const abandoned = [...stale, ...(await rows.findWaitingInVain(db))];
      let count = 0;
      for (const { id, ...lease } of abandoned) {
        try {
          const run = await rows.readRun(db, id);
          const stands =
            run?.lease_owner === lease.lease_owner && run.lease_expires_at === lease.lease_expires_at;
          if (run === undefined || run.ended_at !== null || !stands) continue;
          if (await askedAgain(run)) continue;
          const isOver = run.stop_requested_at !== null || run.state === "requires-action";
          if (!(await endUncarried(run, isOver ? "cancelled" : "interrupted"))) continue;
          if (isOver) continue;
          count += 1;
          logger.warn({ runId: id }, "a run was interrupted: its process is gone");
        } catch (error) {
          // The others are not to wait for it, nor is the server's start.
          logger.error({ err: error, runId: id }, "could not end an abandoned run; trying again later");
        }
      }
      return count;
    },
  };
}

/**
 * How a run goes on that was taken up again and said nothing since. Calls that were allowed are nothing to begin twice:
 * nobody knows how far they got, and such a run is interrupted.
 */
function resumption({ events }: RunLog): GoOn | "unknown" {
  const waited = fold(events.slice(0, -1));
  const isUnknown = (waited.waitsFor ?? []).some((part) => {
    const call = waited.parts[part];
    return call?.type === "tool-call" && call.result === undefined;
  });
  return isUnknown ? "unknown" : { reply: fold(events), allowed: [] };
}
