import type { BodyOf } from "#contract/api.ts";
import { defaultAssistantId, isId, newId } from "#contract/ids.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { RunStarted } from "#contract/endpoints/runs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Live } from "#server/live/live.ts";
import type { Messages, ThreadContext } from "#server/messages/messages.ts";
import type { Models } from "#server/models/models.ts";
import type { Visitor } from "#server/lib/route.ts";
import { writeOnce } from "#server/lib/write-once.ts";
import { requestHash } from "#server/lib/request-hash.ts";
import type { Threads } from "#server/threads/threads.ts";
import { newOwnRun } from "./new-run.ts";
import type { AskAgain } from "../leases/reaper.ts";
import * as rows from "../rows.ts";
import type { RunCaps } from "./run-limits.ts";
import type { Runner } from "../loop/runner.ts";
import { sameModel } from "../loop/same-model.ts";

/**
 * Goes on with an answer that was interrupted, stopped or failed: a new run for the same reply, from what is stored of
 * it. The same `id` again answers the same run. Throws `run-not-found`, `thread-not-found`, `run-not-continuable`,
 * `conflict`, `model-not-found`, `too-many-runs`.
 */
export type ContinueRun = (
  visitor: Visitor,
  runId: string,
  body: BodyOf<"runs.continue">,
) => Promise<RunStarted>;

export function createContinueRun(options: {
  db: Database;
  clock: Clock;
  threads: Threads;
  messages: Messages;
  live: Live;
  models: Models;
  runner: Runner;
  leaseOwner: string;
  caps: RunCaps;
}): ContinueRun {
  const { db, clock, threads, messages, live, models, runner, leaseOwner, caps } = options;

  return async (visitor, runId, body) => {
    if (body.id !== undefined && !isId("run", body.id))
      throw badRequest("body.id", "must be a run id: run_0 and 24 characters");
    const broken = await rows.findRun(db, visitor.workspaceId, runId);
    if (broken?.thread_id == null || broken.reply_id === null || broken.message_id === null)
      throw new AppError("run-not-found");
    const { thread_id: threadId, reply_id: replyId, message_id: askedId } = broken;
    // Whoever began an answer goes on with it, whatever the thread has chosen since.
    const assistantId = broken.assistant_id ?? defaultAssistantId;
    const modelId = body.model ?? broken.model;
    const model = body.model === undefined ? await sameModel(models, broken) : await models.get(body.model);
    const { time_zone: timeZone = broken.time_zone, ...wanted } = body;
    const hash = requestHash({ continue: runId, ...wanted });
    const nowMs = clock.now();
    const { run, before } = await writeOnce(db, async (tx) => {
      await threads.lock(tx, visitor, threadId);
      const again = body.id === undefined ? undefined : await rows.findRunAnywhere(tx, body.id);
      if (again !== undefined) {
        if (again.workspace_id !== visitor.workspaceId || again.request_hash !== hash)
          throw new AppError("conflict");
        return { run: again };
      }
      const reply = await messages.find(tx, threadId, replyId, "message-not-found");
      // Another run may have gone on with it already.
      if (reply.run_id !== runId || reply.status !== "incomplete") throw new AppError("run-not-continuable");
      // What was answered may have been deleted since.
      const messageId = reply.parent_id ?? askedId;
      if ((await rows.findBusy(tx, messageId)) !== undefined) throw new AppError("thread-busy");
      // As it is in this transaction: its last words may have been stored a moment ago.
      const before = withoutLooseEnds(messages.partsOf(reply));
      const place: ThreadContext = {
        workspaceId: visitor.workspaceId,
        threadId,
        userId: visitor.userId,
        nowMs,
      };
      const row = newOwnRun({
        id: body.id ?? newId("run", nowMs),
        visitor,
        threadId,
        messageId,
        replyId,
        assistantId,
        model: modelId ?? model.info.id,
        hash,
        timeZone,
        leaseOwner,
        nowMs,
      });
      await caps.check(tx, visitor);
      await rows.insertRun(tx, row);
      await messages.resumeReply(tx, place, replyId, row.id);
      await live.announce(tx, visitor.workspaceId, [
        { type: "run-put", thread_id: threadId, run_id: row.id, reply_id: replyId, state: row.state },
      ]);
      await threads.touch(tx, visitor, threadId, nowMs);
      return { run: row, before };
    });
    if (before !== undefined) runner.begin(run, model, before);
    return { run_id: run.id, message_id: run.message_id ?? askedId, reply_id: replyId };
  };
}

/** Asks a run's question again, or goes on with what was answered, after the process that was to do it died without a word. */
export function createAskAgain(options: { messages: Messages; models: Models; runner: Runner }): AskAgain {
  const { messages, models, runner } = options;
  return async (run, goOn) => {
    if (goOn !== undefined) {
      runner.goOn(run, goOn);
      return;
    }
    const before = withoutLooseEnds(await messages.replyParts(run.thread_id!, run.reply_id!));
    runner.begin(run, await sameModel(models, run), before);
  };
}

/** Without the tool calls at its end that were never answered: they are made again, for nobody knows how far they got. */
function withoutLooseEnds(parts: Part[]): Part[] {
  const last = parts.findLastIndex((part) => part.type !== "tool-call" || part.result !== undefined);
  return parts.slice(0, last + 1);
}
