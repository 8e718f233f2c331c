import type { Tx } from "#storage/database/database.ts";
import type { MoveHook } from "#server/threads/claim.ts";
import { moveRequests } from "../requests/rows.ts";
import * as rows from "../rows.ts";
import { stopTopic } from "../log/topics.ts";

/** Asks the runs of these replies to stop, in whichever process they are executed. */
export async function stopWriters(tx: Tx, replyIds: string[], nowMs: number): Promise<void> {
  for (const runId of await rows.requestStop(tx, replyIds, nowMs)) tx.publishOnCommit.add(stopTopic(runId));
}

/** Asks all runs of a workspace to stop, in whichever process they are executed. */
export async function stopRunsOf(tx: Tx, workspaceId: string, nowMs: number): Promise<void> {
  const replyIds = await rows.listActiveReplies(tx, workspaceId);
  if (replyIds.length > 0) await stopWriters(tx, replyIds, nowMs);
}

/** Moves the runs of claimed threads and their requests to the new owner, who can then follow and stop them. */
export const followRuns: MoveHook = async (tx, move) => {
  await rows.moveRuns(tx, move);
  await moveRequests(tx, move);
};
