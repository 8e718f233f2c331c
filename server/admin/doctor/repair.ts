import { repairLogs } from "#storage/log/repair.ts";
import type { Database } from "#storage/database/database.ts";
import { repairMessages } from "#server/messages/repair.ts";
import { repairThreads } from "#server/threads/repair.ts";
import { repairRunLogs, repairRuns } from "#server/runs/lifecycle/repair.ts";

/**
 * Repairs what can be repaired without losing data: heights, sizes of threads, replies whose run has ended, leases, runs that nobody can
 * answer, counters that are behind their log, orphaned logs, and logs without an end. Returns the number of each repair.
 */
export async function repair(db: Database, nowMs: number): Promise<Record<string, number>> {
  return await db.write(async (tx) => ({
    ...(await repairMessages(tx, nowMs)),
    ...(await repairThreads(tx)),
    ...(await repairRuns(tx, nowMs)),
    ...(await repairLogs(tx, {
      "run:": tx.q.selectFrom("runs").select("id"),
      "workspace:": tx.q.selectFrom("workspaces").select("id"),
    })),
    // After the counters are repaired, because it appends to logs.
    ...(await repairRunLogs(tx, nowMs)),
  }));
}
