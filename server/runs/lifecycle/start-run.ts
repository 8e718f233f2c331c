import type { BodyOf } from "#contract/api.ts";
import { isId, newId } from "#contract/ids.ts";
import type { QueuedMessage } from "#contract/endpoints/messages.ts";
import type { RunStarted } from "#contract/endpoints/runs.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Budgets, Estimate } from "#server/people/budgets/budgets.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Live } from "#server/live/live.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { ThreadContext } from "#server/messages/write-messages.ts";
import type { Queue } from "#server/messages/queue/queue.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import type { Visitor } from "#server/lib/route.ts";
import { writeOnce } from "#server/lib/write-once.ts";
import { requestHash } from "#server/lib/request-hash.ts";
import type { Quota } from "#server/quota/quota.ts";
import { firstWords } from "#server/threads/first-words.ts";
import type { Threads } from "#server/threads/threads.ts";
import type { AssistantAndModel, ChooseAssistantAndModel } from "../prepare/choose.ts";
import type { Runner } from "../loop/runner.ts";
import * as rows from "../rows.ts";
import type { RunLimits } from "./run-limits.ts";
import { findMessageToAnswer, storeRun, type RunContext } from "./store-run.ts";

type StartBody = BodyOf<"runs.start">;

/**
 * Stores a message and starts its answer, or answers a stored message again. A message below a reply that is being written
 * is queued, and the result has `queued`. The same ids with the same request return the first result, or what a queued
 * message has become since. Throws `thread-not-found`, `parent-not-in-thread`, `thread-busy`, `conflict`, `queue-full`,
 * `queued-not-found` for a removed queued message, `model-not-found`, `assistant-not-found`, `budget-used`, `budget-wait`,
 * `too-many-runs`, `quota-full`.
 */
export type StartRun = (visitor: Visitor, threadId: string, body: StartBody) => Promise<RunStarted>;

export type StartDependencies = {
  db: Database;
  clock: Clock;
  threads: Threads;
  messages: Messages;
  live: Live;
  queue: Queue;
  choose: ChooseAssistantAndModel;
  runner: Runner;
  leaseOwner: string;
  runLimits: RunLimits;
  budgets: Pick<Budgets, "reserveIn">;
  quota: Quota;
};

type SentRequest = { visitor: Visitor; threadId: string; body: StartBody; hash: string };

/** A request to start a run, with everything that is known before its transaction. */
type StartRequest = SentRequest & { chosen: AssistantAndModel; nowMs: number };

type Stored = { result: RunStarted; run?: rows.RunRow };

export function createStartRun(dependencies: StartDependencies): StartRun {
  const { db, clock, threads, messages, queue, choose, runner, quota } = dependencies;

  /** The result of the same request, if it was sent before. */
  async function findResult(
    tx: Tx,
    { visitor, threadId, body, hash }: SentRequest,
  ): Promise<RunStarted | undefined> {
    const { id: runId, message: { id: messageId } = {} } = body;
    if (runId === undefined && messageId === undefined) return undefined;
    const isSame = (stored: { workspace_id: string; request_hash: string | null }) =>
      stored.workspace_id === visitor.workspaceId && stored.request_hash === hash;
    const entry = await queue.findAnywhere(tx, runId === undefined ? { id: messageId ?? "" } : { runId });
    if (entry !== undefined) {
      if (!isSame(entry) || entry.thread_id !== threadId) throw new AppError("conflict");
      if (entry.removed_at !== null) throw new AppError("queued-not-found");
      return queuedResult(await queue.present(tx, entry));
    }
    if (runId !== undefined) {
      const run = await rows.findRunAnywhere(tx, runId);
      if (run !== undefined && !isSame(run)) throw new AppError("conflict");
      return run && startedResult(run);
    }
    const message = await messages.findAnywhere(tx, messageId ?? "");
    if (message === undefined) return undefined;
    const run = await rows.findFirstAnswering(tx, message.id);
    if (run === undefined || message.thread_id !== threadId || !isSame(run)) throw new AppError("conflict");
    return startedResult(run);
  }

  async function lockThread(tx: Tx, { visitor, threadId, body }: StartRequest): Promise<void> {
    if (body.message?.parent_id === null) await threads.lockOrCreate(tx, visitor, threadId, body);
    else await threads.lock(tx, visitor, threadId);
  }

  /** The parent of a new message, and whether the message is queued there. */
  async function findParent(
    tx: Tx,
    context: ThreadContext,
    { parent_id: parentId, queue: mayQueue = false }: NonNullable<StartBody["message"]>,
  ): Promise<{ parentId: string; isQueued: true } | { parentId: string | null; isQueued: false }> {
    if (parentId === null) return { parentId, isQueued: false };
    const end = mayQueue ? await messages.findBranchEnd(tx, context, parentId) : parentId;
    const active = await rows.findActive(tx, end);
    // A message has one reply in progress at most.
    if (active !== undefined && active.reply_id !== end) throw new AppError("thread-busy");
    const isQueued =
      active !== undefined || (mayQueue && (await queue.listAfter(tx, context.threadId, end)).length > 0);
    return isQueued ? { parentId: end, isQueued } : { parentId: end, isQueued };
  }

  async function checkUnused(tx: Tx, ids: (string | undefined)[]): Promise<void> {
    for (const id of ids) {
      if (id === undefined) continue;
      const existing =
        (await messages.findAnywhere(tx, id)) ?? (await queue.findAnywhere(tx, { id, replyId: id }));
      if (existing !== undefined) throw new AppError("conflict");
    }
  }

  /** Stores the message and its run, or queues it. `run` is what the caller starts after the commit. */
  async function store(tx: Tx, request: StartRequest): Promise<Stored> {
    let earlier = await findResult(tx, request);
    if (earlier === undefined) {
      await lockThread(tx, request);
      // The same request may have been executed while this one waited for the lock.
      earlier = await findResult(tx, request);
    }
    if (earlier !== undefined) return { result: earlier };
    const stored = await storeNew(tx, request);
    await quota.checkMessage(tx, request.threadId, request.visitor);
    return stored;
  }

  async function storeNew(tx: Tx, request: StartRequest): Promise<Stored> {
    const { visitor, threadId, body, chosen, hash, nowMs } = request;
    await checkUnused(tx, [body.message?.id, body.reply_id]);
    const { appId, workspaceId, userId } = visitor;
    const context = { appId, workspaceId, threadId, userId, nowMs };
    const run = {
      runId: body.id ?? newId("run", nowMs),
      replyId: body.reply_id,
      assistantId: chosen.assistantId,
      model: chosen.modelId,
      effort: chosen.effort,
      hash,
      timeZone: body.time_zone ?? null,
    };
    const answer = { ...run, streamId: body.stream_id, estimate: chosen.estimate };
    if (body.message === undefined) {
      const message = await findMessageToAnswer(tx, messages, threadId, body.parent_id!);
      await threads.setSelection(tx, visitor, threadId, chosen.remember);
      return await storeAnswer(tx, visitor, context, message, answer);
    }
    const { id, content } = body.message;
    const { parentId, isQueued } = await findParent(tx, context, body.message);
    await threads.setSelection(tx, visitor, threadId, chosen.remember);
    if (isQueued)
      return { result: queuedResult(await queue.add(tx, context, { id, parentId, content, ...run })) };
    const message = await messages.addUserMessage(tx, context, { id, parentId, content });
    return await storeAnswer(tx, visitor, context, message, answer);
  }

  async function storeAnswer(
    tx: Tx,
    visitor: Visitor,
    context: RunContext,
    message: MessageRow,
    run: Pick<
      Parameters<typeof storeRun>[2],
      "runId" | "replyId" | "assistantId" | "model" | "effort" | "hash" | "timeZone" | "streamId"
    > & { estimate: Estimate | undefined },
  ): Promise<{ result: RunStarted; run: rows.RunRow }> {
    const { leaseOwner, runLimits, budgets } = dependencies;
    await runLimits.check(tx, visitor);
    const reserved = await budgets.reserveIn(tx, visitor, run.estimate);
    await threads.setFallbackTitle(tx, context.threadId, firstWords(message.plain_text));
    const row = await storeRun(tx, dependencies, { context, message, ...run, leaseOwner, reserved });
    await queue.moveHeldAfter(tx, context, message, row.reply_id!);
    return { result: startedResult(row), run: row };
  }

  return async (visitor, threadId, body) => {
    checkIds(body);
    // A repeated request may come from another time zone or another event stream, or after its temporary thread was kept.
    const { time_zone: _, stream_id: __, temporary: ___, ...hashed } = body;
    const sent = { visitor, threadId, body, hash: requestHash({ threadId, ...hashed }) };
    let chosen;
    try {
      chosen = await choose(visitor, threadId, body);
    } catch (error) {
      // What a repeated request chose may have been removed since.
      const earlier = await db.write(async (tx) => await findResult(tx, sent));
      if (earlier === undefined) throw error;
      return earlier;
    }
    const request = { ...sent, chosen, nowMs: clock.now() };
    const { result, run } = await writeOnce(db, async (tx) => await store(tx, request));
    if (run !== undefined) runner.start(run, chosen.model);
    return result;
  };
}

function startedResult(run: rows.RunRow): RunStarted {
  return { run_id: run.id, message_id: run.message_id!, reply_id: run.reply_id! };
}

function queuedResult(queued: QueuedMessage): RunStarted {
  return { run_id: queued.run_id, message_id: queued.id, reply_id: queued.reply_id, queued };
}

/** Ids that clients generate must have the server's format, because they sort by time. */
function checkIds(body: StartBody): void {
  if (body.id !== undefined && !isId("run", body.id))
    throw badRequest("body.id", "must be a run id: run_0 and 24 characters");
  const messageIds = { "body.message.id": body.message?.id, "body.reply_id": body.reply_id };
  for (const [path, id] of Object.entries(messageIds)) {
    if (id !== undefined && !isId("message", id))
      throw badRequest(path, "must be a message id: msg_0 and 24 characters");
  }
  if (body.reply_id !== undefined && body.reply_id === body.message?.id)
    throw badRequest("body.reply_id", "must be another id than the message's");
}
