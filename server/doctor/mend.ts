import { mendLogs } from "#storage/log/mend.ts";
import type { Database } from "#storage/sql/database.ts";
import { mendMessages } from "../messages/mend.ts";
import { mendLeases } from "../runs/mend.ts";

/**
 * Sets right what can be without losing anything: heights, replies whose run is over, leases, counters that are behind
 * their log, and logs of nobody. Answers how often each was done.
 */
export async function mend(db: Database, nowMs: number): Promise<Record<string, number>> {
  return await db.write(async (tx) => ({
    ...(await mendMessages(tx, nowMs)),
    ...(await mendLeases(tx, nowMs)),
    ...(await mendLogs(tx, {
      "run:": tx.q.selectFrom("runs").select("id"),
      "workspace:": tx.q.selectFrom("workspaces").select("id"),
    })),
  }));
}
