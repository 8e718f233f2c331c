import { isInactive } from "#server/people/accounts/rows.ts";
import type { Budgets, Estimate } from "#server/people/budgets/budgets.ts";
import type { JsonObject } from "#contract/json.ts";
import type { RunStarted } from "#contract/endpoints/runs.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Live } from "#server/live/live.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Queue, QueuedRow } from "#server/messages/queue/queue.ts";
import { isOwnUser, type Visitor } from "#server/lib/route.ts";
import { isOutsider } from "#server/threads/members/rows.ts";
import type { Threads } from "#server/threads/threads.ts";
import * as rows from "../rows.ts";
import type { RunLimits } from "./run-limits.ts";
import { answerTokens, tokensOfJson } from "../requests/estimate-usage.ts";
import { storeRun, type RunContext } from "./store-run.ts";

/** The modules that the end of a run and the start of the next one change. */
export type QueueModules = {
  threads: Threads;
  messages: Messages;
  live: Live;
  queue: Queue;
  budgets: Pick<Budgets, "reserveIn">;
  leaseOwner: string;
};

/**
 * In the transaction that ends a run, with the thread locked: turns the next queued message into a message and a run,
 * which the caller starts after the commit. If the process dies before that, the reaper retries the run. Sends nothing if
 * the thread is in the trash, and passes over messages of people who are suspended, may no longer write in the thread, or
 * have no budget left for it now: theirs wait after the next reply.
 */
export async function sendNext(
  tx: Tx,
  modules: QueueModules,
  ended: rows.RunRow,
  nowMs: number,
): Promise<rows.RunRow | undefined> {
  if (ended.thread_id === null || ended.reply_id === null) return undefined;
  const entries = await modules.queue.listAfter(tx, ended.thread_id, ended.reply_id);
  if (entries.length === 0) return undefined;
  const { app_id: appId, workspace_id: workspaceId, thread_id: threadId } = ended;
  const thread = { appId, workspaceId, threadId, nowMs };
  for (const [userId, [entry]] of Map.groupBy(entries, (each) => each.created_by)) {
    const context = { ...thread, userId };
    const isOpen = (await modules.threads.filterOwnIds(tx, context, [threadId])).size > 0;
    if (!isOpen) return undefined;
    if (!(await maySend(tx, context))) continue;
    const reserved = await reserve(tx, modules, context, entry!).catch(undefinedIfNoBudget);
    if (reserved === undefined) continue;
    const place = { parentId: entry!.parent_id, isAutomatic: true, ...reserved };
    return await send(tx, modules, context, entry!, place);
  }
  return undefined;
}

async function maySend(tx: Tx, context: RunContext): Promise<boolean> {
  return !(await isInactive(tx.q, context)) && !(await isOutsider(tx.q, context));
}

/** Reserves what the answer before it cost, because the model's price is not known in a transaction. */
async function reserve(
  tx: Tx,
  { budgets }: QueueModules,
  context: RunContext,
  { content }: QueuedRow,
): Promise<{ reserved: Estimate | undefined }> {
  const last = await rows.findLastUse(tx.q, context.threadId);
  const input = (last?.context_tokens ?? 0) + tokensOfJson(content);
  const estimate = { tokens: input + answerTokens, costMicros: last?.cost_micros ?? 0 };
  return { reserved: await budgets.reserveIn(tx, context, estimate) };
}

function undefinedIfNoBudget(error: unknown): undefined {
  if (error instanceof AppError && (error.code === "budget-used" || error.code === "budget-wait"))
    return undefined;
  throw error;
}

/**
 * Sends a queued message of the visitor that is on hold, before the others. A second call returns the same run. Throws
 * `thread-not-found`, `queued-not-found`, `budget-used`, `budget-wait`, `too-many-runs`, and `thread-busy` while a reply before it is
 * being written.
 */
export type SendNow = (visitor: Visitor, threadId: string, id: string) => Promise<RunStarted>;

export function createSendNow(
  options: QueueModules & {
    db: Database;
    clock: Clock;
    runLimits: RunLimits;
    start: (run: rows.RunRow) => void;
  },
): SendNow {
  const { db, clock, threads, messages, queue } = options;
  return async (visitor, threadId, id) => {
    const { run, isNew } = await db.write(async (tx) => {
      await threads.lock(tx, visitor, threadId);
      const entry = await queue.find(tx, threadId, id);
      if (entry === undefined) return { run: await findSent(tx, messages, threadId, id), isNew: false };
      // It would run with the sender's rights and budget.
      if (isOwnUser(visitor) && entry.created_by !== visitor.userId) throw new AppError("queued-not-found");
      const { appId, workspaceId, userId } = visitor;
      const context: RunContext = { appId, workspaceId, threadId, userId, nowMs: clock.now() };
      const parentId = await messages.findBranchEnd(tx, context, entry.parent_id);
      for (const above of [entry.parent_id, parentId])
        if ((await rows.findActive(tx, above)) !== undefined) throw new AppError("thread-busy");
      await options.runLimits.check(tx, visitor);
      const reserved = await reserve(tx, options, context, entry);
      const sent = await send(tx, options, context, entry, { parentId, ...reserved });
      return { run: sent, isNew: true };
    });
    if (isNew) options.start(run);
    return { run_id: run.id, message_id: run.message_id!, reply_id: run.reply_id! };
  };
}

async function send(
  tx: Tx,
  modules: QueueModules,
  context: RunContext,
  entry: QueuedRow,
  {
    parentId,
    reserved,
    isAutomatic = false,
  }: { parentId: string; reserved: Estimate | undefined; isAutomatic?: boolean },
): Promise<rows.RunRow> {
  const message = await modules.messages.addUserMessage(
    tx,
    { ...context, userId: entry.created_by },
    { id: entry.id, parentId, content: JSON.parse(entry.content) as JsonObject },
  );
  const run = await storeRun(tx, modules, {
    context,
    message,
    runId: entry.run_id,
    replyId: entry.reply_id,
    assistantId: entry.assistant_id,
    model: entry.model,
    effort: entry.reasoning_effort,
    hash: entry.request_hash,
    timeZone: entry.time_zone,
    leaseOwner: modules.leaseOwner,
    reserved,
    isAutomatic,
  });
  await modules.queue.markSent(tx, context, entry);
  return run;
}

/** The run of a queued message that was sent before. */
async function findSent(tx: Tx, messages: Messages, threadId: string, id: string): Promise<rows.RunRow> {
  const message = await messages.findAnywhere(tx, id);
  const run = message?.thread_id === threadId ? await rows.findFirstAnswering(tx, id) : undefined;
  if (run === undefined) throw new AppError("queued-not-found");
  return run;
}
