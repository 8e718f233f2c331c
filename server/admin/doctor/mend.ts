import { repairLogs } from "#storage/log/repair.ts";
import type { Database } from "#storage/database/database.ts";
import { repairMessages } from "#server/messages/repair.ts";
import { repairRunLogs, repairRuns } from "#server/runs/lifecycle/repair.ts";

/**
 * Sets right what can be without losing anything: heights, replies whose run is over, leases, runs that wait in vain,
 * counters that are behind their log, logs of nobody, and logs that lack their end. Answers how often each was done.
 */
export async function mend(db: Database, nowMs: number): Promise<Record<string, number>> {
  return await db.write(async (tx) => ({
    ...(await repairMessages(tx, nowMs)),
    ...(await repairRuns(tx, nowMs)),
    ...(await repairLogs(tx, {
      "run:": tx.q.selectFrom("runs").select("id"),
      "workspace:": tx.q.selectFrom("workspaces").select("id"),
    })),
    // Once the counters are right: it appends.
    ...(await repairRunLogs(tx, nowMs)),
  }));
}
