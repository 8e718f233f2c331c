import { lastSeq } from "#storage/log/log.ts";
import { prune } from "#storage/log/prune.ts";
import type { Tx } from "#storage/database/database.ts";
import type { Erased } from "#server/threads/erase.ts";
import { eraseRequests } from "../requests/rows.ts";
import * as rows from "../rows.ts";
import { runTopic, stopTopic } from "../log/topics.ts";

/**
 * In the transaction of an erasure, before the threads are deleted: empties the runs of this person and of their threads,
 * and removes their name from the runs they started; running ones stop. Usage stays counted. `emptyDetails` empties what
 * else is stored of these runs. Returns how many runs named them.
 */
export async function eraseRuns(
  tx: Tx,
  who: Erased,
  workspaceIds: string[],
  nowMs: number,
  emptyDetails: (tx: Tx, runIds: string[]) => Promise<void>,
): Promise<number> {
  const runs = await rows.findRunsOf(tx, who, workspaceIds);
  const ids = runs.map(({ id }) => id);
  const renamed = await rows.removeUser(tx, ids, who, nowMs);
  await emptyDetails(tx, ids);
  await eraseRequests(tx, who, workspaceIds);
  for (const { id, ended_at: endedAt } of runs) {
    if (endedAt === null) tx.publishOnCommit.add(stopTopic(id));
    const last = await lastSeq(tx.q, runTopic(id));
    if (last > 0) await prune(tx, runTopic(id), last);
  }
  return renamed;
}
