import type { Reply } from "#contract/fold.ts";
import type { RunState } from "#contract/run-events.ts";
import type { Tx } from "#storage/database/database.ts";
import { sendNext, type QueueModules } from "./send-queued.ts";
import { keepStep, replyItem } from "../replay/kept-steps.ts";
import { costOfRun, tokensOfRun } from "../requests/rows.ts";
import * as rows from "../rows.ts";
import { usageColumns } from "../usage-columns.ts";

type Result = {
  run: rows.RunRow;
  reply: Reply;
  firstTokenAt: number | null;
  /** The tokens of the branch with this answer, if the provider counted them. */
  contextTokens?: number | undefined;
  nowMs: number;
};

/**
 * In the transaction of a run's last event, with the thread locked: stores how the run ended and its reply, and announces
 * both. Returns the row of the run, and the run of the queued message that follows, which has this process's lease. The
 * caller starts it after the commit.
 */
export async function finishRun(
  tx: Tx,
  modules: QueueModules,
  { run: startedRun, reply, firstTokenAt, contextTokens, nowMs }: Result,
): Promise<{ ended: rows.RunRow; next: rows.RunRow | undefined }> {
  const run = await currentRun(tx, startedRun);
  const end = reply.end!;
  const change = {
    state: end.state,
    finish_reason: end.finishReason,
    error_code: end.error?.code ?? null,
    notes: notesOf(reply),
    lease_owner: null,
    lease_expires_at: null,
    ...(run.is_blind === 1 ? await tokensOfRun(tx, run.id) : usageColumns(end.usage)),
    cost_micros: await costOfRun(tx, run.id),
    context_tokens: contextTokens ?? null,
    first_token_at: firstTokenAt,
    ended_at: nowMs,
  };
  await rows.changeRun(tx, run.id, change);
  await storeReply(tx, modules, { run, reply, state: end.state, nowMs });
  const sendsNext = end.state === "completed" || end.state === "cancelled";
  // The queue of a comparison waits for the choice.
  const isHeld = sendsNext && (await rows.isUnchosen(tx, run));
  const next = sendsNext && !isHeld ? await sendNext(tx, modules, run, nowMs) : undefined;
  return { ended: { ...run, ...change }, next };
}

/**
 * In the transaction of `run-wait`: stores that the run waits for a person, and its reply so far. No process executes the
 * run until the last answer resumes it.
 */
export async function pauseRun(
  tx: Tx,
  modules: QueueModules,
  { run: startedRun, reply, firstTokenAt, nowMs }: Result,
): Promise<void> {
  const run = await currentRun(tx, startedRun);
  await rows.changeRun(tx, run.id, {
    state: "requires-action",
    notes: notesOf(reply),
    lease_owner: null,
    lease_expires_at: null,
    ...(run.is_blind === 1 ? await tokensOfRun(tx, run.id) : usageColumns(reply.usage ?? {})),
    cost_micros: await costOfRun(tx, run.id),
    first_token_at: firstTokenAt,
  });
  await storeReply(tx, modules, { run, reply, state: "requires-action", nowMs });
}

/** Stores a run's reply so far, and announces it and the state of the run. */
export async function storeReply(
  tx: Tx,
  { messages, live, threads }: QueueModules,
  { run, reply, state, nowMs }: { run: rows.RunRow; reply: Reply; state: RunState; nowMs: number },
): Promise<void> {
  const { app_id: appId, workspace_id: workspaceId, thread_id: threadId, reply_id: replyId } = run;
  if (threadId === null || replyId === null) return;
  await keepStep(tx, run, { item: replyItem, content: () => JSON.stringify(reply), nowMs });
  await messages.saveReply(tx, { workspaceId, threadId, nowMs }, replyId, reply);
  await live.announce(tx, workspaceId, [
    { type: "run-put", thread_id: threadId, run_id: run.id, reply_id: replyId, state },
  ]);
  await threads.announce(tx, { appId, workspaceId }, threadId);
}

/** The run's row now: its thread may have moved to another workspace since the run started. */
async function currentRun(tx: Tx, run: rows.RunRow): Promise<rows.RunRow> {
  return (await rows.findRunAnywhere(tx, run.id)) ?? run;
}

function notesOf({ notes }: Reply): string | null {
  return notes === undefined ? null : JSON.stringify(notes);
}
