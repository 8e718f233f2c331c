import type { Tx } from "#storage/database/database.ts";
import type { MoveHook } from "#server/threads/claim.ts";
import * as rows from "../rows.ts";
import { stopTopic } from "../log/topics.ts";

/** What other rooms ask of runs, in transactions of their own. */

/** Asks the runs that are writing these replies to stop, wherever they run. */
export async function stopWriters(tx: Tx, replyIds: string[], nowMs: number): Promise<void> {
  for (const runId of await rows.askToStop(tx, replyIds, nowMs)) tx.publishOnCommit.add(stopTopic(runId));
}

/** Brings along the runs of threads that are claimed: their new owner can follow and stop them. */
export const followRuns: MoveHook = async (tx, move) => await rows.moveRuns(tx, move);
