import type { BodyOf } from "#contract/api.ts";
import { isId, newId } from "#contract/ids.ts";
import { isRunEnded } from "#contract/run-events.ts";
import type { QueuedMessage } from "#contract/endpoints/messages.ts";
import type { Run, RunStarted } from "#contract/endpoints/runs.ts";
import { lastSeq } from "#storage/log/log.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Live } from "#server/live/live.ts";
import type { Messages, ThreadContext } from "#server/messages/messages.ts";
import type { Queue } from "#server/messages/queue.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import type { Visitor } from "#server/lib/route.ts";
import { writeOnce } from "#server/lib/write-once.ts";
import { requestHash } from "#server/lib/request-hash.ts";
import type { Threads } from "#server/threads/threads.ts";
import type { Choose } from "../loop/assistant-and-model.ts";
import type { EndUncarried } from "./end-orphaned.ts";
import { followGone, followRun, type FollowRun } from "../log/follow-run.ts";
import { presentRun } from "../present.ts";
import * as rows from "../rows.ts";
import type { RunCaps } from "./run-limits.ts";
import type { Runner } from "../loop/runner.ts";
import { storeRun } from "./store-run.ts";
import { firstWords } from "../loop/title.ts";
import { runTopic, stopTopic } from "../log/topics.ts";

/** How long the answer to a stop waits for the end that it asked for. */
const stopPatienceMs = 2_000;

export type Runs = {
  /**
   * Stores a message and begins its answer, or answers a message again: one act. A message below a reply that is being
   * written waits for its turn: it answers `queued` then. The same ids with the same request answer what was answered
   * first, and once a queued message was sent, what it has become. Throws `thread-not-found`, `parent-not-in-thread`,
   * `thread-busy`, `conflict`, `queue-full`, `queued-not-found` for one that was taken out, `model-not-found`,
   * `assistant-not-found`, `too-many-runs`.
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
  /**
   * Asks a run to stop, wherever it runs, and waits a moment for its end, which comes later where its process is gone.
   * A run that ended stays as it is.
   */
  stop(visitor: Visitor, runId: string): Promise<Run>;
};

export function createRuns(options: {
  db: Database;
  clock: Clock;
  threads: Threads;
  messages: Messages;
  live: Live;
  queue: Queue;
  choose: Choose;
  runner: Runner;
  endUncarried: EndUncarried;
  leaseOwner: string;
  caps: RunCaps;
}): Runs {
  const { db, clock, threads, messages, live, queue, choose, runner, endUncarried, leaseOwner, caps } =
    options;

  async function find(visitor: Visitor, runId: string): Promise<rows.RunRow> {
    const row = await rows.findRun(db, visitor.workspaceId, runId);
    if (row === undefined) throw new AppError("run-not-found");
    return row;
  }

  async function present(row: rows.RunRow): Promise<Run> {
    return presentRun(row, await lastSeq(db.read, runTopic(row.id)));
  }

  /** What the same request was answered before, where this one was sent again. */
  async function answeredBefore(
    tx: Tx,
    visitor: Visitor,
    threadId: string,
    body: BodyOf<"runs.start">,
    hash: string,
  ): Promise<RunStarted | undefined> {
    const { id: runId, message: { id: messageId } = {} } = body;
    if (runId === undefined && messageId === undefined) return undefined;
    const isSame = (made: { workspace_id: string; request_hash: string | null }) =>
      made.workspace_id === visitor.workspaceId && made.request_hash === hash;
    const entry = await queue.findAnywhere(tx, runId === undefined ? { id: messageId ?? "" } : { runId });
    if (entry !== undefined) {
      if (!isSame(entry) || entry.thread_id !== threadId) throw new AppError("conflict");
      if (entry.removed_at !== null) throw new AppError("queued-not-found");
      return queuedAnswer(await queue.present(tx, entry));
    }
    if (runId !== undefined) {
      const run = await rows.findRunAnywhere(tx, runId);
      if (run !== undefined && !isSame(run)) throw new AppError("conflict");
      return run && startedAnswer(run);
    }
    const message = await messages.findAnywhere(tx, messageId ?? "");
    if (message === undefined) return undefined;
    const run = await rows.findFirstAnswering(tx, message.id);
    if (run === undefined || message.thread_id !== threadId || !isSame(run)) throw new AppError("conflict");
    return startedAnswer(run);
  }

  async function holdThread(
    tx: Tx,
    visitor: Visitor,
    threadId: string,
    body: BodyOf<"runs.start">,
  ): Promise<void> {
    if (body.message?.parent_id === null) await threads.lockOrCreate(tx, visitor, threadId);
    else await threads.lock(tx, visitor, threadId);
  }

  /** The message that is to be answered again. */
  async function askedAgain(tx: Tx, threadId: string, messageId: string): Promise<MessageRow> {
    const message = await messages.find(tx, threadId, messageId, "parent-not-in-thread");
    if (message.role !== "user") throw badRequest("body.parent_id", "must be a message of the role user");
    if ((await rows.findBusy(tx, message.id)) !== undefined) throw new AppError("thread-busy");
    return message;
  }

  /** Where a new message goes, and whether it waits there for its turn. */
  async function placeOf(
    tx: Tx,
    place: ThreadContext,
    { parent_id: parentId, queue: mayWait = false }: NonNullable<BodyOf<"runs.start">["message"]>,
  ): Promise<{ parentId: string; waits: true } | { parentId: string | null; waits: false }> {
    if (parentId === null) return { parentId, waits: false };
    const end = mayWait ? await messages.findBranchEnd(tx, place, parentId) : parentId;
    const busy = await rows.findBusy(tx, end);
    // Beside the reply that is being written there is no room for another.
    if (busy !== undefined && busy.reply_id !== end) throw new AppError("thread-busy");
    const waits =
      busy !== undefined || (mayWait && (await queue.findFirst(tx, place.threadId, end)) !== undefined);
    return waits ? { parentId: end, waits } : { parentId: end, waits };
  }

  async function checkUnused(tx: Tx, ids: (string | undefined)[]): Promise<void> {
    for (const id of ids) {
      if (id === undefined) continue;
      const isTaken =
        (await messages.findAnywhere(tx, id)) ?? (await queue.findAnywhere(tx, { id, replyId: id }));
      if (isTaken !== undefined) throw new AppError("conflict");
    }
  }

  return {
    async start(visitor, threadId, body) {
      checkIds(body);
      const chosen = await choose(visitor, threadId, body);
      const { time_zone: timeZone = null, ...wanted } = body;
      // Where it is sent from says nothing of what is asked: whoever travels may send it again.
      const hash = requestHash({ threadId, ...wanted });
      const nowMs = clock.now();
      const { answer, run } = await writeOnce(db, async (tx) => {
        let before = await answeredBefore(tx, visitor, threadId, body, hash);
        if (before === undefined) {
          await holdThread(tx, visitor, threadId, body);
          // Who held the thread until now may have been this same request.
          before = await answeredBefore(tx, visitor, threadId, body, hash);
        }
        if (before !== undefined) return { answer: before };
        await checkUnused(tx, [body.message?.id, body.reply_id]);
        const { projectId, workspaceId, userId } = visitor;
        const place = { projectId, workspaceId, threadId, userId, nowMs };
        const made = {
          runId: body.id ?? newId("run", nowMs),
          replyId: body.reply_id,
          assistantId: chosen.assistantId,
          model: chosen.modelId,
          hash,
          timeZone,
        };
        let message: MessageRow;
        if (body.message === undefined) {
          message = await askedAgain(tx, threadId, body.parent_id!);
          await threads.setSelection(tx, visitor, threadId, chosen.remember);
        } else {
          const { id, content } = body.message;
          const { parentId, waits } = await placeOf(tx, place, body.message);
          await threads.setSelection(tx, visitor, threadId, chosen.remember);
          if (waits)
            return { answer: queuedAnswer(await queue.add(tx, place, { id, parentId, content, ...made })) };
          message = await messages.addUserMessage(tx, place, { id, parentId, content });
        }
        await caps.check(tx, visitor);
        await threads.setFallbackTitle(tx, visitor, threadId, firstWords(message.plain_text));
        const row = await storeRun(tx, { messages, threads, live }, { place, message, ...made, leaseOwner });
        await queue.moveHeldAfter(tx, place, message, row.reply_id!);
        return { answer: startedAnswer(row), run: row };
      });
      if (run !== undefined) runner.begin(run, chosen.model);
      return answer;
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
        const unlisten = db.pubSub.subscribe(runTopic(runId), () => {
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
        if (row === undefined || isRunEnded(row.state)) return undefined;
        await rows.changeRun(tx, runId, { stop_requested_at: row.stop_requested_at ?? clock.now() });
        tx.publishOnCommit.add(stopTopic(runId));
        return row;
      });
      // One that waits for a person has no lease, and nobody carries it. Whether a lease is over, no clock can tell:
      // where its process is gone, the reaper sees it stand still, and ends the run as stopped.
      const ended = asked?.lease_owner === null && (await endUncarried(asked, "cancelled"));
      if (!ended && asked !== undefined) await settled;
      return await present(await find(visitor, runId));
    },
  };
}

function startedAnswer(run: rows.RunRow): RunStarted {
  return { run_id: run.id, message_id: run.message_id!, reply_id: run.reply_id! };
}

function queuedAnswer(queued: QueuedMessage): RunStarted {
  return { run_id: queued.run_id, message_id: queued.id, reply_id: queued.reply_id, queued };
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
