import type { Reply } from "#contract/fold.ts";
import type { Tx } from "#storage/sql/database.ts";
import { sendNext, type QueueRooms } from "./queue.ts";
import * as rows from "./rows.ts";

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
    lease_owner: null,
    lease_expires_at: null,
    input_tokens: end.usage.input ?? null,
    output_tokens: end.usage.output ?? null,
    reasoning_tokens: end.usage.reasoning ?? null,
    cached_tokens: end.usage.cached ?? null,
    first_token_at: firstTokenAt,
    ended_at: nowMs,
  });
  if (run.thread_id === null || run.reply_id === null) return undefined;
  const place = { workspaceId: run.workspace_id, threadId: run.thread_id, nowMs };
  await rooms.messages.endReply(tx, place, run.reply_id, reply);
  await rooms.live.announce(tx, run.workspace_id, [
    { type: "run-put", thread_id: run.thread_id, run_id: run.id, reply_id: run.reply_id, state: end.state },
  ]);
  await rooms.threads.announce(
    tx,
    { projectId: run.project_id, workspaceId: run.workspace_id },
    run.thread_id,
  );
  const goesOn = end.state === "completed" || end.state === "cancelled";
  return goesOn ? await sendNext(tx, rooms, run, nowMs) : undefined;
}
