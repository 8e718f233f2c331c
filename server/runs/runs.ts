import type { BodyOf } from "#contract/api.ts";
import { isId, newId } from "#contract/ids.ts";
import { isRunEnded } from "#contract/run-events.ts";
import type { Run, RunStarted } from "#contract/runs.ts";
import { lastSeq } from "#storage/log/log.ts";
import type { Database, Tx } from "#storage/sql/database.ts";
import type { Clock } from "../clock.ts";
import { AppError, badRequest } from "../errors.ts";
import type { Live } from "../live/live.ts";
import type { Messages, OwnPlace } from "../messages/messages.ts";
import type { Models } from "../models/models.ts";
import type { Visitor } from "../route.ts";
import { writeOnce } from "../write-once.ts";
import { requestHash } from "../threads/request-hash.ts";
import type { Threads } from "../threads/threads.ts";
import { followGone, followRun, type FollowRun } from "./follow-run.ts";
import { defaultAssistant, newOwnRun } from "./new-run.ts";
import { presentRun } from "./present.ts";
import type { Reaper } from "./reaper.ts";
import * as rows from "./rows.ts";
import type { RunCaps } from "./run-caps.ts";
import type { Runner } from "./runner.ts";
import { firstWords } from "./title.ts";
import { runTopic, stopTopic } from "./topics.ts";

/** How long the answer to a stop waits for the end that it asked for. */
const stopPatienceMs = 2_000;

export type Runs = {
  /**
   * Stores a message and begins its answer, or answers a message again: one act. The same ids with the same request
   * answer what was answered first. Throws `thread-not-found`, `parent-not-in-thread`, `thread-busy`, `conflict`,
   * `model-not-found`, `assistant-not-found`, `too-many-runs`.
   */
  start(visitor: Visitor, threadId: string, body: BodyOf<"runs.start">): Promise<RunStarted>;
  get(visitor: Visitor, runId: string): Promise<Run>;
  /**
   * The events of a run after number `after`, until its last. `reset` where they are no longer kept: the reply is
   * stored, read that. Throws `run-not-found`, and a bad request for an `after` beyond the log.
   */
  follow(visitor: Visitor, runId: string, after: number): Promise<FollowRun>;
  /** The same for a run in view: `undefined` for another's, and `reset` for an `after` beyond the log. */
  followIfOwn(visitor: Visitor, runId: string, after: number): Promise<FollowRun | undefined>;
  /** Asks a run to stop, wherever it runs, and waits a moment for its end. A run that ended stays as it is. */
  stop(visitor: Visitor, runId: string): Promise<Run>;
};

export function createRuns(options: {
  db: Database;
  clock: Clock;
  threads: Threads;
  messages: Messages;
  live: Live;
  models: Models;
  runner: Runner;
  reaper: Reaper;
  leaseOwner: string;
  caps: RunCaps;
}): Runs {
  const { db, clock, threads, messages, live, models, runner, reaper, leaseOwner, caps } = options;

  async function find(visitor: Visitor, runId: string): Promise<rows.RunRow> {
    const row = await rows.findRun(db, visitor.workspaceId, runId);
    if (row === undefined) throw new AppError("run-not-found");
    return row;
  }

  async function present(row: rows.RunRow): Promise<Run> {
    return presentRun(row, await lastSeq(db.read, runTopic(row.id)));
  }

  /** The run of the same request before, where this one was sent again. */
  async function startedBefore(
    tx: Tx,
    visitor: Visitor,
    threadId: string,
    body: BodyOf<"runs.start">,
    hash: string,
  ): Promise<rows.RunRow | undefined> {
    if (body.id !== undefined) {
      const run = await rows.findRunAnywhere(tx, body.id);
      if (run === undefined) return undefined;
      if (run.workspace_id !== visitor.workspaceId || run.request_hash !== hash)
        throw new AppError("conflict");
      return run;
    }
    if (body.message?.id === undefined) return undefined;
    const message = await messages.findAnywhere(tx, body.message.id);
    if (message === undefined) return undefined;
    const run = await rows.findFirstAnswering(tx, message.id);
    const same =
      message.thread_id === threadId &&
      run?.workspace_id === visitor.workspaceId &&
      run.request_hash === hash;
    if (!same) throw new AppError("conflict");
    return run;
  }

  async function holdThread(
    tx: Tx,
    visitor: Visitor,
    threadId: string,
    body: BodyOf<"runs.start">,
  ): Promise<void> {
    if (body.message?.parent_id === null) await threads.holdOrMake(tx, visitor, threadId);
    else await threads.hold(tx, visitor, threadId);
  }

  /** The message to be answered, stored first where it is new. The thread is held already. */
  async function asked(tx: Tx, place: OwnPlace, body: BodyOf<"runs.start">) {
    const { threadId } = place;
    if (body.message === undefined) {
      const message = await messages.find(tx, threadId, body.parent_id!, "parent-not-in-thread");
      if (message.role !== "user") throw badRequest("body.parent_id", "must be a message of the role user");
      if ((await rows.findBusy(tx, message.id)) !== undefined) throw new AppError("thread-busy");
      return message;
    }
    const { id, parent_id: parentId, content } = body.message;
    if (parentId !== null && (await rows.findBusy(tx, parentId)) !== undefined)
      throw new AppError("thread-busy");
    return await messages.addOwn(tx, place, { id, parentId, content });
  }

  return {
    async start(visitor, threadId, body) {
      checkIds(body);
      if (body.assistant_id !== undefined && body.assistant_id !== defaultAssistant)
        throw new AppError("assistant-not-found");
      const model = await models.get(body.model);
      const hash = requestHash({ threadId, ...body });
      const nowMs = clock.now();
      const { run, made } = await writeOnce(db, async (tx) => {
        let before = await startedBefore(tx, visitor, threadId, body, hash);
        if (before === undefined) {
          await holdThread(tx, visitor, threadId, body);
          // Who held the thread until now may have been this same request.
          before = await startedBefore(tx, visitor, threadId, body, hash);
        }
        if (before !== undefined) return { run: before, made: false };
        for (const id of [body.message?.id, body.reply_id]) {
          if (id !== undefined && (await messages.findAnywhere(tx, id)) !== undefined)
            throw new AppError("conflict");
        }
        const place: OwnPlace = { workspaceId: visitor.workspaceId, threadId, userId: visitor.userId, nowMs };
        const message = await asked(tx, place, body);
        const runId = body.id ?? newId("run", nowMs);
        const reply = await messages.beginReply(tx, place, { id: body.reply_id, parent: message, runId });
        const row = newOwnRun({
          id: runId,
          visitor,
          threadId,
          messageId: message.id,
          replyId: reply.id,
          model: model.info.id,
          hash,
          leaseOwner,
          nowMs,
        });
        await caps.check(tx, visitor);
        await rows.insertRun(tx, row);
        await live.announce(tx, visitor.workspaceId, [
          { type: "run-put", thread_id: threadId, run_id: runId, reply_id: reply.id, state: row.state },
        ]);
        await threads.standInTitle(tx, visitor, threadId, firstWords(message.plain_text));
        await threads.touch(tx, visitor, threadId, nowMs);
        return { run: row, made: true };
      });
      if (made) runner.begin(run, model);
      return { run_id: run.id, message_id: run.message_id!, reply_id: run.reply_id! };
    },

    async get(visitor, runId) {
      return await present(await find(visitor, runId));
    },

    async followIfOwn(visitor, runId, after) {
      const row = await rows.findRun(db, visitor.workspaceId, runId);
      if (row === undefined) return undefined;
      const last = await lastSeq(db.read, runTopic(runId));
      if (after > last || (last === 0 && isRunEnded(row.state))) return followGone;
      return followRun(db, visitor.workspaceId, runId, after);
    },

    async follow(visitor, runId, after) {
      const { state } = await find(visitor, runId);
      const last = await lastSeq(db.read, runTopic(runId));
      if (last === 0 && isRunEnded(state)) return followGone;
      if (after > last)
        throw badRequest("query.after", `must be a number of this run's log, which has ${last} so far`);
      return followRun(db, visitor.workspaceId, runId, after);
    },

    async stop(visitor, runId) {
      const before = await find(visitor, runId);
      if (isRunEnded(before.state)) return await present(before);
      const settled = new Promise<void>((resolve) => {
        const unlisten = db.bell.listen(runTopic(runId), () => {
          void find(visitor, runId).then((row) => {
            if (!isRunEnded(row.state)) return;
            unlisten();
            resolve();
          }, resolve);
        });
        void clock.sleep(stopPatienceMs).then(() => {
          unlisten();
          resolve();
        });
      });
      const asked = await db.write(async (tx) => {
        const row = await rows.lockRun(tx, runId);
        // It may have ended before anyone listened for its end.
        if (row === undefined || isRunEnded(row.state)) return false;
        await rows.changeRun(tx, runId, { stop_requested_at: row.stop_requested_at ?? clock.now() });
        tx.rings.add(stopTopic(runId));
        return true;
      });
      // Nobody carries it, unless another process has taken it up just now: then that one was asked.
      const isAbandoned = (before.lease_expires_at ?? 0) < clock.now();
      const ended = isAbandoned && (await reaper.end(before, "cancelled"));
      if (!ended && asked) await settled;
      return await present(await find(visitor, runId));
    },
  };
}

/** Ids minted by the client are in our own format, for they sort by time. */
function checkIds(body: BodyOf<"runs.start">): void {
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
