import { lastSeq } from "#storage/log/log.ts";
import { prune } from "#storage/log/prune.ts";
import type { Tx } from "#storage/database/database.ts";
import type { Erased } from "../threads/erase.ts";
import * as reportRows from "./report-rows.ts";
import * as rows from "./rows.ts";
import { emptySpans } from "./span-rows.ts";
import { runTopic, stopTopic } from "./topics.ts";

/**
 * In the transaction of an erasure, before the threads go: takes the words out of the runs of this person and of their
 * threads, and their name off the runs they began; those under way stop. What was used stays counted. Answers how many
 * runs named them.
 */
export async function eraseRuns(tx: Tx, who: Erased, workspaceIds: string[], nowMs: number): Promise<number> {
  const runs = await rows.findRunsOf(tx, who, workspaceIds);
  const ids = runs.map(({ id }) => id);
  const disowned = await rows.disownRuns(tx, ids, who, nowMs);
  await reportRows.emptyReports(tx, ids);
  await emptySpans(tx, ids);
  for (const { id, ended_at: endedAt } of runs) {
    if (endedAt === null) tx.publishOnCommit.add(stopTopic(id));
    const last = await lastSeq(tx.q, runTopic(id));
    if (last > 0) await prune(tx, runTopic(id), last);
  }
  return disowned;
}
