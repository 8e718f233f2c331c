import { randomInt } from "node:crypto";
import type { BodyOf } from "#contract/api.ts";
import type { Comparison, ComparisonWins } from "#contract/endpoints/comparisons.ts";
import { isId, newId } from "#contract/ids.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Estimate } from "#server/people/budgets/budgets.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import { requestHash } from "#server/lib/request-hash.ts";
import type { Visitor } from "#server/lib/route.ts";
import { writeOnce } from "#server/lib/write-once.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import type { Model } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import type { Quota } from "#server/quota/quota.ts";
import { sendNext, type QueueModules } from "../lifecycle/send-queued.ts";
import type { RunLimits } from "../lifecycle/run-limits.ts";
import { stopWriters } from "../lifecycle/stop-writers.ts";
import { findMessageToAnswer, storeRun } from "../lifecycle/store-run.ts";
import type { ModelRules } from "../model-rules.ts";
import { tokensOfJson } from "../requests/estimate-usage.ts";
import type { ChooseAssistantAndModel } from "../prepare/choose.ts";
import type { Runner } from "../loop/runner.ts";
import { firstWords } from "#server/threads/first-words.ts";
import * as runRows from "../rows.ts";
import * as rows from "./rows.ts";

type StartBody = BodyOf<"comparisons.start">;

export type Comparisons = ReturnType<typeof createComparisons>;

/** Messages that several models answer at the same time, until a person chooses an answer. */
export function createComparisons(
  options: QueueModules & {
    db: Database;
    clock: Clock;
    models: Models;
    choose: ChooseAssistantAndModel;
    modelRules: ModelRules;
    runner: Runner;
    runLimits: RunLimits;
    quota: Quota;
  },
) {
  const { db, clock, threads, messages, queue, models, choose, modelRules, runner, runLimits, quota } =
    options;

  async function present(row: rows.ComparisonRow): Promise<Comparison> {
    return presentComparison(row, await rows.listRuns(db.read, row.id));
  }

  async function find(visitor: Visitor, id: string): Promise<rows.ComparisonRow> {
    const row = await rows.findComparison(db.read, visitor.workspaceId, id);
    if (row === undefined) throw new AppError("comparison-not-found");
    return row;
  }

  /** The models of the request in the order of their answers. Throws `model-not-found`. */
  async function findModels({ models: ids, is_blind: isBlind }: StartBody): Promise<Model[]> {
    const found = await Promise.all(ids.map(async (id) => await models.get(id)));
    if (new Set(found.map(({ info }) => info.id)).size < found.length)
      throw badRequest("body.models", "must not name a model twice");
    return isBlind === true ? shuffle(found) : found;
  }

  /** The message to answer: a new one, or a stored one that no run answers now. */
  async function storeMessage(
    tx: Tx,
    visitor: Visitor,
    threadId: string,
    { message, parent_id: answeredId }: StartBody,
    nowMs: number,
  ): Promise<MessageRow> {
    if (message === undefined) return await findMessageToAnswer(tx, messages, threadId, answeredId!);
    const { id, parent_id: parentId, content } = message;
    if (id !== undefined && (await messages.findAnywhere(tx, id)) !== undefined)
      throw new AppError("conflict");
    if (parentId !== null && (await runRows.findActive(tx, parentId)) !== undefined)
      throw new AppError("thread-busy");
    return await messages.addUserMessage(tx, { ...visitor, threadId, nowMs }, { id, parentId, content });
  }

  async function store(
    tx: Tx,
    request: {
      visitor: Visitor;
      threadId: string;
      body: StartBody;
      hash: string;
      models: { model: Model; estimate: Estimate | undefined }[];
      assistantId: string;
      effort: string | null;
    },
  ): Promise<{ row: rows.ComparisonRow; runs: runRows.RunRow[] }> {
    const { visitor, threadId, body, hash } = request;
    if (body.message?.parent_id === null) await threads.lockOrCreate(tx, visitor, threadId, body);
    else await threads.lock(tx, visitor, threadId);
    const earlier = body.id === undefined ? undefined : await rows.findAnywhere(tx, body.id);
    if (earlier !== undefined) {
      if (earlier.thread_id !== threadId || earlier.request_hash !== hash) throw new AppError("conflict");
      return { row: earlier, runs: [] };
    }
    const nowMs = clock.now();
    const message = await storeMessage(tx, visitor, threadId, body, nowMs);
    const row: rows.ComparisonRow = {
      id: body.id ?? newId("comparison", nowMs),
      thread_id: threadId,
      message_id: message.id,
      user_id: visitor.userId,
      is_blind: body.is_blind === true ? 1 : 0,
      request_hash: hash,
      chosen_reply_id: null,
      created_at: nowMs,
      chosen_at: null,
    };
    await rows.insertComparison(tx, row);
    await threads.setFallbackTitle(tx, threadId, firstWords(message.plain_text));
    // All at once: none of them waits for another.
    const isReserved = (await options.budgets.reserveIn(tx, visitor, sumOf(request.models))) !== undefined;
    const runs: runRows.RunRow[] = [];
    for (const [index, { model, estimate }] of request.models.entries()) {
      await runLimits.check(tx, visitor);
      const run = await storeRun(tx, options, {
        // The time orders the answers.
        context: { ...visitor, threadId, nowMs: nowMs + index },
        message,
        runId: newId("run", nowMs + index),
        replyId: undefined,
        assistantId: request.assistantId,
        model: model.info.id,
        effort: request.effort,
        hash,
        timeZone: body.time_zone ?? null,
        leaseOwner: options.leaseOwner,
        reserved: isReserved ? estimate : undefined,
        streamId: body.stream_id,
        comparison: { id: row.id, isBlind: row.is_blind === 1 },
      });
      runs.push(run);
    }
    await quota.checkThread(tx, threadId);
    return { row, runs };
  }

  return {
    /**
     * Stores the message and an empty answer of each model, and starts their runs. The same id with the same request
     * returns the same comparison. Throws `thread-not-found`, `parent-not-in-thread`, `thread-busy`, `conflict`,
     * `model-not-found`, `model-not-allowed`, `model-not-local`, `assistant-not-found`, `budget-used`, `too-many-runs`,
     * `budget-wait`, `quota-full`.
     */
    async start(visitor: Visitor, threadId: string, body: StartBody): Promise<Comparison> {
      if (body.id !== undefined && !isId("comparison", body.id))
        throw badRequest("body.id", "must be a comparison id: cmp_0 and 24 characters");
      if (body.message?.id !== undefined && !isId("message", body.message.id))
        throw badRequest("body.message.id", "must be a message id: msg_0 and 24 characters");
      const { time_zone: _, stream_id: __, temporary: ___, ...hashed } = body;
      const hash = requestHash({ threadId, ...hashed });
      // Before the models are looked for: one may have been removed since.
      const earlier =
        body.id === undefined ? undefined : await rows.findComparison(db.read, visitor.workspaceId, body.id);
      if (earlier?.thread_id === threadId && earlier.request_hash === hash) return await present(earlier);
      const { assistantId, effort } = await choose(visitor, threadId, {
        assistant_id: body.assistant_id,
        reasoning_effort: body.reasoning_effort,
      });
      const compared = await findModels(body);
      const { appId, workspaceId, userId } = visitor;
      const use = { appId, workspaceId, userId, threadId, assistantId };
      for (const model of compared) await modelRules.admit(model, use);
      const inputTokens = () => tokensOfJson(body.message);
      const compare = async (model: Model) => ({
        model,
        estimate: await modelRules.admit(model, use, { inputTokens }),
      });
      const asked = await Promise.all(compared.map(compare));
      const request = { visitor, threadId, body, hash, models: asked, assistantId, effort };
      const { row, runs } = await writeOnce(db, async (tx) => await store(tx, request));
      for (const [index, run] of runs.entries()) runner.start(run, compared[index]!);
      return await present(row);
    },

    /** Throws `comparison-not-found`. */
    get: async (visitor: Visitor, id: string): Promise<Comparison> => await present(await find(visitor, id)),

    /**
     * Continues the thread with this answer and its model, stops the others, and sends the next queued message. Throws
     * `comparison-not-found`, `bad-request` for another reply, and `conflict` after another choice.
     */
    async choose(visitor: Visitor, id: string, replyId: string): Promise<Comparison> {
      const { thread_id: threadId } = await find(visitor, id);
      const next = await db.write(async (tx) => {
        await threads.lock(tx, visitor, threadId);
        const row = await rows.findAnywhere(tx, id);
        const runs = await rows.listRuns(tx.q, id);
        const run = runs.findLast((one) => one.reply_id === replyId);
        if (row === undefined || run === undefined)
          throw badRequest("body.reply_id", "must be an answer of this comparison");
        if (row.chosen_reply_id === replyId) return undefined;
        if (row.chosen_reply_id !== null) throw new AppError("conflict");
        const nowMs = clock.now();
        const context = { ...visitor, threadId, nowMs };
        await messages.find(tx, threadId, replyId, "message-not-found");
        const replyIds = [...new Set(runs.flatMap((one) => one.reply_id ?? []))];
        const others = replyIds.filter((one) => one !== replyId);
        await rows.storeChoice(tx, id, { replyId, nowMs });
        await stopWriters(tx, others, nowMs);
        await messages.showReply(tx, context, replyId);
        await threads.setSelection(tx, visitor, threadId, { model: run.model });
        await queue.gatherAfter(tx, context, others, replyId);
        const isDone = run.state === "completed" || run.state === "cancelled";
        return isDone ? await sendNext(tx, options, run, nowMs) : undefined;
      });
      if (next !== undefined) runner.startNext(next);
      return await present(await find(visitor, id));
    },

    wins: async (visitor: Visitor): Promise<ComparisonWins> => ({
      models: await rows.countWins(db, visitor),
    }),
  };
}

function presentComparison(row: rows.ComparisonRow, runs: runRows.RunRow[]): Comparison {
  // A reply that was continued has several runs. The first run decides its position.
  const latest = new Map<string, runRows.RunRow>();
  for (const run of runs) if (run.reply_id !== null) latest.set(run.reply_id, run);
  return {
    id: row.id,
    thread_id: row.thread_id,
    message_id: row.message_id,
    is_blind: row.is_blind === 1,
    chosen_reply_id: row.chosen_reply_id,
    answers: [...latest].map(([replyId, run]) => ({
      reply_id: replyId,
      run_id: run.id,
      model: runRows.visibleModel(run),
    })),
    created_at: isoTime(row.created_at),
  };
}

function sumOf(asked: readonly { estimate: Estimate | undefined }[]): Estimate | undefined {
  const estimates = asked.flatMap(({ estimate }) => estimate ?? []);
  if (estimates.length === 0) return undefined;
  return {
    tokens: estimates.reduce((sum, { tokens }) => sum + tokens, 0),
    costMicros: estimates.reduce((sum, { costMicros }) => sum + costMicros, 0),
  };
}

function shuffle<Item>(items: readonly Item[]): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = randomInt(last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
  }
  return shuffled;
}
