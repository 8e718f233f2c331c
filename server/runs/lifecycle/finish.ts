import type { Reply } from "#contract/fold.ts";
import type { RunState } from "#contract/run-events.ts";
import type { Tx } from "#storage/database/database.ts";
import { sendNext, type QueueRooms } from "./queue.ts";
import * as rows from "../rows.ts";
import { usageColumns } from "../usage-columns.ts";

/** The rooms that a run's end touches. */
export type Finished = QueueRooms;

/**
 * Stores how a run ended and what it made of its reply, and tells the feed, all in the transaction of its last event.
 * The run's thread is held. Answers the run that follows, of a message that waited for this end: it stands under this
 * process's lease, and is to be begun once the transaction is committed.
 */
export async function finishRun(
  tx: Tx,
  rooms: Finished,
  ended: { run: rows.RunRow; reply: Reply; firstTokenAt: number | null; nowMs: number },
): Promise<rows.RunRow | undefined> {
  const { reply, firstTokenAt, nowMs } = ended;
  // Its thread may have been claimed since it began: then the news are the claimer's.
  const run = (await rows.findRunAnywhere(tx, ended.run.id)) ?? ended.run;
  const end = reply.end!;
  await rows.changeRun(tx, run.id, {
    state: end.state,
    finish_reason: end.finishReason,
    error_code: end.error?.code ?? null,
    notes: notesOf(reply),
    lease_owner: null,
    lease_expires_at: null,
    ...usageColumns(end.usage),
    first_token_at: firstTokenAt,
    ended_at: nowMs,
  });
  await showRun(tx, rooms, { run, reply, state: end.state, nowMs });
  const goesOn = end.state === "completed" || end.state === "cancelled";
  return goesOn ? await sendNext(tx, rooms, run, nowMs) : undefined;
}

/**
 * Stores that a run waits for a person and what its reply holds, all in the transaction of the event that says so.
 * Nobody carries it from then on: whoever brings the last answer takes it up.
 */
export async function parkRun(
  tx: Tx,
  rooms: Finished,
  parked: { run: rows.RunRow; reply: Reply; firstTokenAt: number | null; nowMs: number },
): Promise<void> {
  const { reply, firstTokenAt, nowMs } = parked;
  const run = (await rows.findRunAnywhere(tx, parked.run.id)) ?? parked.run;
  await rows.changeRun(tx, run.id, {
    state: "requires-action",
    notes: notesOf(reply),
    lease_owner: null,
    lease_expires_at: null,
    ...usageColumns(reply.usage ?? {}),
    first_token_at: firstTokenAt,
  });
  await showRun(tx, rooms, { run, reply, state: "requires-action", nowMs });
}

function notesOf({ notes }: Reply): string | null {
  return notes === undefined ? null : JSON.stringify(notes);
}

/** Stores what a run has made of its reply so far, and tells the feed how it stands. */
export async function showRun(
  tx: Tx,
  { messages, live, threads }: Finished,
  { run, reply, state, nowMs }: { run: rows.RunRow; reply: Reply; state: RunState; nowMs: number },
): Promise<void> {
  const { project_id: projectId, workspace_id: workspaceId, thread_id: threadId, reply_id: replyId } = run;
  if (threadId === null || replyId === null) return;
  await messages.saveReply(tx, { workspaceId, threadId, nowMs }, replyId, reply);
  await live.announce(tx, workspaceId, [
    { type: "run-put", thread_id: threadId, run_id: run.id, reply_id: replyId, state },
  ]);
  await threads.announce(tx, { projectId, workspaceId }, threadId);
}
