import { lastSeq } from "#storage/log/log.ts";
import { dropTopics, prune } from "#storage/log/prune.ts";
import type { Tx } from "#storage/database/database.ts";
import type { Erased } from "#server/threads/erase.ts";
import { eraseCalls } from "../calls/rows.ts";
import { eraseSteps } from "../replay/kept-steps.ts";
import { eraseRequests, forgetBodies } from "../requests/rows.ts";
import { changeRun } from "../rows.ts";
import { runTopic, stopTopic } from "../log/topics.ts";
import { findRunsOf, listRunsOfThread, removeUser } from "./erase-rows.ts";
import { stopWriters } from "./stop-writers.ts";

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
  const runs = await findRunsOf(tx, who, workspaceIds);
  const ids = runs.map(({ id }) => id);
  const renamed = await removeUser(tx, ids, who, nowMs);
  await emptyDetails(tx, ids);
  await eraseRequests(tx, who, workspaceIds);
  await eraseSteps(tx, ids, who);
  await eraseCalls(tx, ids);
  for (const { id, ended_at: endedAt } of runs) {
    if (endedAt === null) tx.publishOnCommit.add(stopTopic(id));
    const last = await lastSeq(tx.q, runTopic(id));
    if (last > 0) await prune(tx, runTopic(id), last);
  }
  return renamed;
}

/**
 * In the transaction that erases a thread, before the thread is deleted: deletes the logs of its runs and the hashes of
 * what was sent. The rows stay with their numbers, for usage. Runs in progress are asked to stop, and it returns false.
 * `emptyDetails` empties what else is stored of these runs.
 */
export async function eraseRunsOfThread(
  tx: Tx,
  threadId: string,
  nowMs: number,
  emptyDetails: (tx: Tx, runIds: string[]) => Promise<void>,
): Promise<boolean> {
  const runs = await listRunsOfThread(tx, threadId);
  const writing = runs.filter((run) => run.ended_at === null && run.state !== "requires-action");
  if (writing.length > 0) {
    await stopWriters(
      tx,
      writing.flatMap((run) => run.reply_id ?? []),
      nowMs,
    );
    return false;
  }
  for (const { id, ended_at: endedAt } of runs)
    await changeRun(tx, id, {
      request_hash: null,
      time_zone: null,
      // It waited for a person.
      ...(endedAt === null ? { state: "cancelled" as const, ended_at: nowMs } : {}),
    });
  const ids = runs.map(({ id }) => id);
  await emptyDetails(tx, ids);
  await dropTopics(tx, ids.map(runTopic));
  await forgetBodies(tx, threadId);
  return true;
}
