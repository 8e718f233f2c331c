import * as rows from "../rows.ts";
import * as reservations from "#server/people/budgets/reservation-rows.ts";
import { fold } from "#contract/fold.ts";
import { limits } from "#contract/limits.ts";
import type { ToolCallPart } from "#contract/parts/tool-call.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { append } from "#storage/log/log.ts";
import type { Database } from "#storage/database/database.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import { createStaleLeases } from "#server/jobs/stale-leases.ts";
import { isStillOrphaned, type EndOrphanedRun } from "../lifecycle/end-orphaned.ts";
import { resumeHandedOver } from "./hand-over.ts";
import { handedOver, type Leases } from "./leases.ts";
import { listSentCalls } from "../calls/rows.ts";
import { readRunLog, type RunLog } from "../log/run-log.ts";
import { runTopic } from "../log/topics.ts";
import type { ResumePoint } from "../prepare/stored-run.ts";

/**
 * Handles runs whose process died or handed them over. A run that was handed over is continued. A run with output whose
 * process died ends as interrupted, and its logged events become the reply; one without output is retried. Runs that wait
 * for a person stay as they are, unless they were asked to stop or their thread is gone. What a dead process reserved of
 * budgets for other requests ends.
 */
export type Reaper = {
  /**
   * Handles every run whose lease is stale or was handed over. Returns how many runs were interrupted. Does nothing while
   * this process shuts down.
   */
  sweep(): Promise<number>;
};

/** After this time a run is not retried: the person has probably left. */
const retryWithinMs = 10 * 60_000;

/** Starts a run again under this process's lease, or resumes it from `point`. */
export type RetryRun = (run: rows.RunRow, point?: ResumePoint) => Promise<void>;

export function createReaper(options: {
  db: Database;
  clock: SteadyClock;
  logger: Logger;
  leases: Leases;
  endOrphanedRun: EndOrphanedRun;
  retryRun: RetryRun;
  draining: AbortSignal;
}): Reaper {
  const { db, clock, logger, leases, endOrphanedRun, retryRun, draining } = options;
  const staleLeases = createStaleLeases({ db, clock });

  /** The leases of other processes. */
  async function readOthers(): Promise<rows.Lease[]> {
    const [runs, requests] = await Promise.all([rows.findLeases(db), reservations.findLeases(db.read)]);
    const held = new Set([...leases.held(), ...leases.heldRequests()]);
    return [...runs, ...requests].filter(({ id }) => !held.has(id));
  }

  /** Returns whether the run is handled: it was retried or continued, or another process took it. */
  async function retryIfPossible(run: rows.RunRow): Promise<boolean> {
    if (run.state !== "running" || run.origin !== "own" || run.stop_requested_at !== null) return false;
    const log = await readRunLog(db, run.id);
    const nowMs = clock.now();
    const isHandedOver = run.lease_owner === handedOver;
    const retry = isHandedOver
      ? retryHandedOver(log, nowMs)
      : retryWithoutOutput(run, log, { nowMs, sent: await listSentCalls(db, run.id) });
    if (retry === undefined) return false;
    const lease = {
      lease_owner: leases.owner,
      lease_expires_at: nowMs + limits.runLeaseMs,
      // Counted before the retry: the run itself may have killed its process.
      asked_again: run.asked_again + (isHandedOver ? 0 : 1),
    };
    const isOurs = await db.write(async (tx) => {
      if (!(await isStillOrphaned(tx, run))) return false;
      await rows.changeRun(tx, run.id, lease);
      if (retry.events.length > 0)
        await append(tx, [
          { topic: runTopic(run.id), bodies: retry.events.map((event) => JSON.stringify(event)) },
        ]);
      return true;
    });
    if (!isOurs) return true;
    if (isHandedOver) logger.info({ runId: run.id }, "continuing a run of a process that shuts down");
    else logger.warn({ runId: run.id }, "retrying a run that had no output when its process died");
    await retryRun({ ...run, ...lease }, retry.point);
    return true;
  }

  /** Returns whether it interrupted the run. */
  async function interruptOrRetry({ id, ...lease }: rows.Lease): Promise<boolean> {
    const run = await rows.readRun(db, id);
    if (run === undefined) {
      await db.write(async (tx) => await reservations.deleteReservation(tx, { id, ...lease }));
      return false;
    }
    if (run.ended_at !== null) return false;
    if (run.lease_owner !== lease.lease_owner || run.lease_expires_at !== lease.lease_expires_at)
      return false;
    if (await retryIfPossible(run)) return false;
    const isCancelled = run.stop_requested_at !== null || run.state === "requires-action";
    const isEnded = await endOrphanedRun(run, isCancelled ? "cancelled" : "interrupted");
    return isEnded && !isCancelled;
  }

  return {
    async sweep() {
      if (draining.aborted) return 0;
      const stale = await staleLeases.find(readOthers, ({ lease_owner: owner }) => owner === handedOver);
      let count = 0;
      for (const lease of [...stale, ...(await rows.findAbandonedWaiting(db))]) {
        if (draining.aborted) break;
        try {
          if (!(await interruptOrRetry(lease))) continue;
          count += 1;
          logger.warn({ runId: lease.id }, "interrupted a run whose process died");
        } catch (error) {
          // One damaged run must not prevent the others from being handled, nor the server from starting.
          logger.error({ err: error, runId: lease.id }, "could not end an abandoned run; trying again later");
        }
      }
      return count;
    },
  };
}

/** What to append to the run's log, and where to resume it: from its beginning without `point`. */
type Retry = { events: RunEvent[]; point?: ResumePoint };

function retryHandedOver(log: RunLog, nowMs: number): Retry | undefined {
  if (log.seq === 0) return { events: [] };
  return log.events.length === 0 ? undefined : resumeHandedOver(log, nowMs);
}

/** `undefined` for a run that had output since it was started or resumed, and for one that is not to be retried again. */
function retryWithoutOutput(
  run: rows.RunRow,
  log: RunLog,
  { nowMs, sent }: { nowMs: number; sent: ReadonlySet<string> },
): Retry | undefined {
  if (run.asked_again >= limits.automaticRetriesMax) return undefined;
  const last = log.events.at(-1);
  if (log.seq > 0 && last?.type !== "run-resume") return undefined;
  // A run may wait for a person for days before it is resumed.
  const sinceMs = last?.type === "run-resume" ? last.at : run.created_at;
  const point = last === undefined ? undefined : resumePointOf(log, sent);
  if (sinceMs < nowMs - retryWithinMs || point === "unknown") return undefined;
  return { events: [], ...(point === undefined ? {} : { point }) };
}

/**
 * Where to resume a run that was resumed before and has no output since: calls that were approved and not sent are carried
 * out. `unknown` if one was sent: it may have done some of its work and must not be sent twice.
 */
function resumePointOf({ events }: RunLog, sent: ReadonlySet<string>): ResumePoint | "unknown" {
  const waited = fold(events.slice(0, -1));
  const approved = (waited.pendingParts ?? []).filter((part) => {
    const call = waited.parts[part];
    return call?.type === "tool-call" && call.result === undefined;
  });
  const ids = approved.map((part) => (waited.parts[part] as ToolCallPart).toolCallId);
  return ids.some((id) => sent.has(id)) ? "unknown" : { reply: fold(events), approved };
}
