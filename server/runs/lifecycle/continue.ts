import type { BodyOf } from "#contract/api.ts";
import { defaultAssistantId, isId, newId } from "#contract/ids.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { RunStarted } from "#contract/endpoints/runs.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Budgets, Estimate } from "#server/people/budgets/budgets.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Live } from "#server/live/live.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Model } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import type { Visitor } from "#server/lib/route.ts";
import { writeOnce } from "#server/lib/write-once.ts";
import { requestHash } from "#server/lib/request-hash.ts";
import type { Quota } from "#server/quota/quota.ts";
import type { Threads } from "#server/threads/threads.ts";
import { newRun } from "./new-run.ts";
import { withoutOpenCalls } from "../leases/retry-run.ts";
import * as rows from "../rows.ts";
import type { RunLimits } from "./run-limits.ts";
import type { Runner } from "../loop/runner.ts";
import type { ModelRules } from "../model-rules.ts";
import { modelOrDefault } from "../prepare/choose.ts";

/**
 * Continues an answer that was interrupted, stopped or failed, with a new run for the same reply. The same `id` again
 * returns the same run. Throws `run-not-found`, `thread-not-found`, `run-not-continuable`, `thread-busy`, `conflict`,
 * `model-not-found`, `budget-used`, `budget-wait`, `too-many-runs`, `quota-full`.
 */
export type ContinueRun = (
  visitor: Visitor,
  runId: string,
  body: BodyOf<"runs.continue">,
) => Promise<RunStarted>;

/** A run of a reply. Runs of protocol clients have none. */
type ReplyRun = rows.RunRow & { thread_id: string; reply_id: string; message_id: string };

export function createContinueRun(options: {
  db: Database;
  clock: Clock;
  threads: Threads;
  messages: Messages;
  live: Live;
  models: Models;
  runner: Runner;
  leaseOwner: string;
  runLimits: RunLimits;
  quota: Quota;
  budgets: Pick<Budgets, "reserveIn">;
  modelRules: ModelRules;
}): ContinueRun {
  const { db, clock, threads, messages, live, models, runner, leaseOwner, runLimits, quota, modelRules } =
    options;

  async function findReplyRun({ workspaceId }: Visitor, runId: string): Promise<ReplyRun> {
    const run = await rows.findRun(db, workspaceId, runId);
    if (run === undefined || !isReplyRun(run)) throw new AppError("run-not-found");
    return run;
  }

  /** The reply's parts as of this transaction, and the message that it answers. */
  async function readReply(
    tx: Tx,
    {
      id,
      thread_id: threadId,
      reply_id: replyId,
      message_id: answeredId,
      comparison_id: comparisonId,
    }: ReplyRun,
  ): Promise<{ parts: Part[]; messageId: string }> {
    const reply = await messages.find(tx, threadId, replyId, "message-not-found");
    // Another run may have continued the reply.
    if (reply.run_id !== id || reply.status !== "incomplete") throw new AppError("run-not-continuable");
    // The answered message may have been deleted.
    const messageId = reply.parent_id ?? answeredId;
    // The other answers of a comparison may still be in progress.
    if (await rows.isBusy(tx, { messageId, replyId, comparisonId })) throw new AppError("thread-busy");
    return { parts: withoutOpenCalls(messages.partsOf(reply)), messageId };
  }

  async function storeContinuation(
    tx: Tx,
    visitor: Visitor,
    broken: ReplyRun,
    body: BodyOf<"runs.continue">,
    chosen: { model: Model; hash: string; estimate: Estimate | undefined },
  ): Promise<{ run: rows.RunRow; partsBefore?: Part[] }> {
    const { workspaceId, userId } = visitor;
    const { thread_id: threadId, reply_id: replyId } = broken;
    await threads.lock(tx, visitor, threadId);
    const stored = body.id === undefined ? undefined : await rows.findRunAnywhere(tx, body.id);
    if (stored !== undefined) {
      if (stored.workspace_id !== workspaceId || stored.request_hash !== chosen.hash)
        throw new AppError("conflict");
      return { run: stored };
    }
    const { parts: partsBefore, messageId } = await readReply(tx, broken);
    const nowMs = clock.now();
    await runLimits.check(tx, visitor);
    const reserved = await options.budgets.reserveIn(tx, visitor, chosen.estimate);
    const run = newRun(visitor, {
      id: body.id ?? newId("run", nowMs),
      origin: "own",
      thread_id: threadId,
      message_id: messageId,
      reply_id: replyId,
      // The assistant and the model of the first run, even if the thread has chosen others since.
      assistant_id: broken.assistant_id ?? defaultAssistantId,
      model: (body.model === undefined ? broken.model : undefined) ?? chosen.model.info.id,
      reasoning_effort: broken.reasoning_effort,
      request_hash: chosen.hash,
      time_zone: body.time_zone ?? broken.time_zone,
      comparison_id: broken.comparison_id,
      is_blind: broken.is_blind,
      leaseOwner,
      reserved,
      nowMs,
    });
    await quota.checkMessage(tx, threadId, visitor);
    await rows.insertRun(tx, run);
    await messages.resumeReply(tx, { workspaceId, threadId, userId, nowMs }, replyId, run.id);
    await live.announce(tx, workspaceId, [
      { type: "run-put", thread_id: threadId, run_id: run.id, reply_id: replyId, state: run.state },
    ]);
    await threads.touch(tx, visitor, threadId, nowMs);
    return { run, partsBefore };
  }

  return async (visitor, runId, body) => {
    if (body.id !== undefined && !isId("run", body.id))
      throw badRequest("body.id", "must be a run id: run_0 and 24 characters");
    const broken = await findReplyRun(visitor, runId);
    const started = (run: rows.RunRow): RunStarted => ({
      run_id: run.id,
      message_id: run.message_id ?? broken.message_id,
      reply_id: broken.reply_id,
    });
    const { time_zone: _, ...request } = body;
    const hash = requestHash({ continue: runId, ...request });
    const stored = body.id === undefined ? undefined : await rows.findRun(db, visitor.workspaceId, body.id);
    if (stored?.request_hash === hash) return started(stored);
    const model =
      body.model === undefined ? await modelOrDefault(models, broken) : await models.get(body.model);
    // Counts against the budget of the person who continues it.
    const use = { ...rows.modelUseOf(broken), userId: visitor.userId };
    const estimate = await modelRules.admit(model, use, { inputTokens: () => 0 });
    const { run, partsBefore } = await writeOnce(
      db,
      async (tx) => await storeContinuation(tx, visitor, broken, body, { model, hash, estimate }),
    );
    if (partsBefore !== undefined) runner.start(run, model, partsBefore);
    return started(run);
  };
}

function isReplyRun(run: rows.RunRow): run is ReplyRun {
  return run.thread_id !== null && run.reply_id !== null && run.message_id !== null;
}
