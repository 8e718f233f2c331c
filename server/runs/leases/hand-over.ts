import { fold, foldOne, type Reply } from "#contract/fold.ts";
import type { RunEvent } from "#contract/run-events.ts";
import type { Tx } from "#storage/database/database.ts";
import type { RunLog } from "../log/run-log.ts";
import { handedOverTopic } from "../log/topics.ts";
import { keepUnfinishedArtifacts } from "../lifecycle/unfinished-artifacts.ts";
import type { ResumePoint } from "../prepare/stored-run.ts";
import * as rows from "../rows.ts";
import { handedOver } from "./leases.ts";

/** In the transaction of a run's last output here: releases its lease, and asks the other processes to take it. */
export async function handOverRun(
  tx: Tx,
  runId: string,
  firstTokenAt: number | null,
  nowMs: number,
): Promise<void> {
  const released = { lease_owner: handedOver, lease_expires_at: nowMs, first_token_at: firstTokenAt };
  await rows.changeRun(tx, runId, released);
  tx.publishOnCommit.add(handedOverTopic);
}

/** The tool may have done its work, so the call is not repeated. */
const lostResult =
  "The server restarted during this call. It may have done some of its work. It was not repeated.";

/**
 * How another process continues a run that was handed over: the events to append to its log, and the reply after them. An
 * unfinished artifact becomes a text. The model continues a text that was cut off. Each call without a result gets an error
 * as its result.
 */
export function resumeHandedOver(
  { events }: RunLog,
  nowMs: number,
): { events: RunEvent[]; point: ResumePoint } {
  const before = fold(events);
  const kept = keepUnfinishedArtifacts(before, "interrupted");
  const results = before.parts.flatMap((part, index): RunEvent[] =>
    part.type === "tool-call" && part.result === undefined
      ? [{ type: "tool-call-result", part: index, result: { error: lostResult }, is_error: true, at: nowMs }]
      : [],
  );
  const added: RunEvent[] = [...kept, ...results, { type: "run-resume", at: nowMs }];
  const reply = added.reduce(foldOne, before);
  return {
    events: added,
    point: { reply, approved: [], isHandedOver: kept.length > 0 || hasUnfinishedText(before) },
  };
}

/** Whether the last step ended within a text. Between two steps, no text is incomplete. */
function hasUnfinishedText({ parts, stepEnds = [] }: Reply): boolean {
  return parts.length > (stepEnds.at(-1) ?? 0) && parts.at(-1)?.type === "text";
}
