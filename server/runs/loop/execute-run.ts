import { errors } from "#contract/errors.ts";
import { foldOne, type Reply } from "#contract/fold.ts";
import type { RunEndState, RunEvent, Usage } from "#contract/run-events.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Metrics } from "#server/metrics/metrics.ts";
import { describeFailure, ModelError, type Model } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import type { EndOrphanedRun } from "../lifecycle/end-orphaned.ts";
import { finishRun, pauseRun } from "../lifecycle/finish-run.ts";
import { keepUnfinishedArtifacts } from "../lifecycle/unfinished-artifacts.ts";
import { createCallLog, type CallLog } from "../calls/call-log.ts";
import type { Compactor } from "../compaction/compactor.ts";
import type { QueueModules } from "../lifecycle/send-queued.ts";
import { handOverRun } from "../leases/hand-over.ts";
import type { Leases } from "../leases/leases.ts";
import { stopTopic } from "../log/topics.ts";
import type { Writer } from "../log/writer.ts";
import { modelOrDefault } from "../prepare/choose.ts";
import { retryUntilAvailable } from "../prepare/prepare-run.ts";
import {
  prepareStoredRun,
  type Answering,
  type ResumePoint,
  type StoredRunModules,
} from "../prepare/stored-run.ts";
import { createRequestRecorder, type LastItems } from "../requests/recorder.ts";
import type { NewRequest } from "../requests/rows.ts";
import * as rows from "../rows.ts";
import type { AnswerInput } from "./answer-state.ts";
import { streamWithFallback } from "./answer.ts";
import type { TitleGenerator } from "../small-tasks/title.ts";

export type ExecuteDependencies = StoredRunModules & {
  models: Models;
  logger: Logger;
  writer: Writer;
  titles: TitleGenerator;
  compactor: Compactor;
  modules: QueueModules;
  leases: Leases;
  metrics: Metrics | undefined;
  lastItems: LastItems;
  endOrphanedRun: EndOrphanedRun;
  /** Starts the run of the queued message that follows this run. */
  startNext: (run: rows.RunRow) => void;
};

export type Execution = {
  /** Default: the one that the run names. */
  model?: Model;
  from: ResumePoint;
  /** Replaces `prepareStoredRun` for a run whose client sent the conversation. */
  prepare?: Prepare;
  /** Whether the reply is a message of the thread. Otherwise the client stores it. */
  storesReply: boolean;
  /** Whether the run has a log, which it continues. */
  isResumed: boolean;
  /** Ends the run when it is aborted with an `EndRequest`. */
  end: AbortController;
};

export type Prepare = (model: Model, answering: Answering) => Promise<AnswerInput>;

/** The reason for ending a run from outside, or for handing it over to another process. */
export class EndRequest extends Error {
  readonly state: RunEndState | "handed-over";
  constructor(state: RunEndState | "handed-over") {
    super(state);
    this.state = state;
  }
}

type AnswerWriter = {
  emit: (event: RunEvent) => Promise<void>;
  replySoFar: () => Reply;
  record: (request: NewRequest) => void;
  calls: CallLog;
};

type LastEvent = Extract<RunEvent, { type: "run-end" | "run-wait" }>;

/** Executes a run under this process's lease until it ends, waits for a person or is handed over, then lets its thread be titled or compacted. */
export async function executeRun(
  run: rows.RunRow,
  execution: Execution,
  dependencies: ExecuteDependencies,
): Promise<void> {
  const { db, titles, compactor, startNext, endOrphanedRun } = dependencies;
  const { isStored, reply, ended, next } = await writeRun(run, execution, dependencies);
  if (!isStored) return;
  if (next !== undefined) startNext(next);
  if (reply.pendingParts !== undefined) await endIfStopRequested(db, run.id, endOrphanedRun);
  if (ended?.state === "completed" && execution.storesReply) {
    // One of the answers of a comparison is enough.
    if (!(await rows.isFirstOfComparison(db, ended))) return;
    await titles.afterAnswer(ended);
    // Its summary would name the model of an answer in a blind comparison.
    if (next === undefined && ended.comparison_id === null)
      // The fallback model, if that one answered.
      compactor.afterAnswer(ended, await modelOrDefault(dependencies.models, ended));
  }
}

/**
 * Writes the run's events, and stores its reply and its state with the last one. `isStored` is false if the run was handed
 * over or the lease was lost.
 */
async function writeRun(
  run: rows.RunRow,
  execution: Execution,
  dependencies: ExecuteDependencies,
): Promise<{ isStored: boolean; reply: Reply; ended?: rows.RunRow; next?: rows.RunRow | undefined }> {
  const { db, clock, leases, writer, modules, metrics } = dependencies;
  const { from, isResumed, end } = execution;
  const release = leases.hold(run.id);
  const log = writer.open(run.id, () => end.abort(new EndRequest("interrupted")), isResumed);
  const unsubscribe = db.pubSub.subscribe(
    stopTopic(run.id),
    () => void abortIfStopRequested(db, run.id, end),
  );
  const state = createReplyState(run, from.reply, dependencies);
  // Each model counts tokens in its own way, so the counts would give it away.
  const isBlind = run.is_blind === 1;
  const emit = async (event: RunEvent): Promise<void> => {
    state.addOutput(event);
    await log.write(isBlind && event.type === "step-end" ? { ...event, usage: {} } : event);
  };
  try {
    if (!isResumed) await emit(startOf(run, from.reply));
    // The request to stop may be older than the subscription.
    await abortIfStopRequested(db, run.id, end);
    const record = (request: NewRequest): void => {
      log.record(request);
      metrics?.requestRecorded(request);
    };
    const calls = createCallLog({
      db,
      clock,
      runId: run.id,
      leaseOwner: leases.owner,
      retried: async (work) => await retryUntilAvailable(work, { clock, signal: end.signal }),
      onLost() {
        end.abort(new EndRequest("interrupted"));
        throw end.signal.reason;
      },
      record: log.recordCall,
    });
    const answerWriter = { emit, replySoFar: state.reply, record, calls };
    const outcome = await writeAnswer(run, execution, answerWriter, dependencies);
    if (outcome === "handed-over") {
      const { firstTokenAt } = state.columns();
      await log.end(undefined, async (tx) => await handOverRun(tx, run.id, firstTokenAt, clock.now()));
      return { isStored: false, reply: state.reply() };
    }
    if (outcome.type === "run-end")
      for (const event of keepUnfinishedArtifacts(state.reply(), outcome.state)) {
        state.add(event);
        await log.write(event);
      }
    const usage = isBlind ? {} : (state.reply().usage ?? {});
    const last = outcome.type === "run-end" ? { ...outcome, usage } : outcome;
    state.add(last);
    const reply = state.reply();
    let finished: Awaited<ReturnType<typeof finishRun>> | undefined;
    const store = async (tx: Tx): Promise<void> => {
      const stored = { run, reply, ...state.columns(), nowMs: clock.now() };
      if (last.type === "run-wait") await pauseRun(tx, modules, stored);
      else finished = await finishRun(tx, modules, stored);
    };
    const isStored = await log.end(last, store, run.thread_id);
    if (isStored && last.type === "run-end")
      metrics?.runEnded({ ...last, usage: reply.usage ?? {}, model: run.model });
    return { isStored, reply, ...finished };
  } finally {
    unsubscribe();
    release();
  }
}

function startOf(run: rows.RunRow, { parts }: Reply): RunEvent {
  // A client that stores the answer itself gives the message its id. Until then the run's id names it.
  const replyId = run.reply_id ?? run.id;
  return { type: "run-start", reply_id: replyId, model: rows.visibleModel(run), content: [...parts] };
}

/** The reply of a run while it is written, and what is measured for its row. */
function createReplyState(
  run: rows.RunRow,
  from: Reply,
  { clock, metrics }: Pick<ExecuteDependencies, "clock" | "metrics">,
) {
  let reply = from;
  let firstTokenAt = run.first_token_at;
  let contextTokens: number | undefined;
  const add = (event: RunEvent): void => void (reply = foldOne(reply, event));
  return {
    reply: () => reply,
    columns: () => ({ firstTokenAt, contextTokens }),
    /** Adds an event that the model did not cause. */
    add,
    addOutput(event: RunEvent): void {
      add(event);
      if (firstTokenAt === null && isToken(event)) {
        firstTokenAt = clock.now();
        metrics?.firstToken(run.model, firstTokenAt - run.created_at);
      }
      if (event.type === "step-end") contextTokens = contextOf(event.usage) ?? contextTokens;
    },
  };
}

type Delta = Extract<RunEvent, { type: `${string}-delta` }>;

/** Whether the first delta is the first token that a person sees. */
const tokens: Record<Delta["type"], boolean> = {
  "text-delta": true,
  "reasoning-delta": true,
  "tool-call-delta": false,
};

function isToken({ type }: RunEvent): boolean {
  return Object.hasOwn(tokens, type) && tokens[type as Delta["type"]];
}

/** The tokens that the next request begins with: reasoning is not sent again. */
function contextOf({ input, output = 0, reasoning = 0 }: Usage): number | undefined {
  return input === undefined ? undefined : input + Math.max(0, output - reasoning);
}

/**
 * Emits the events of the answer and returns the run's last event, even if the answer failed. Its usage is still empty. A
 * run that another process continues has no last event.
 */
async function writeAnswer(
  run: rows.RunRow,
  execution: Execution,
  writer: AnswerWriter,
  dependencies: ExecuteDependencies,
): Promise<LastEvent | "handed-over"> {
  const { signal } = execution.end;
  try {
    return await writeWithFallback(run, execution, writer, dependencies);
  } catch (error) {
    if (signal.aborted && signal.reason instanceof EndRequest) {
      const { state } = signal.reason;
      return state === "handed-over" ? state : { type: "run-end", state, finish_reason: "other", usage: {} };
    }
    return failure(run, error, dependencies);
  }
}

async function writeWithFallback(
  run: rows.RunRow,
  { model: chosen, from, prepare, end: { signal } }: Execution,
  { emit, replySoFar, record, calls }: AnswerWriter,
  dependencies: ExecuteDependencies,
): Promise<LastEvent> {
  const { db, clock, logger, models, lastItems } = dependencies;
  // Without a thread if that was deleted meanwhile.
  const threadId = run.thread_id ?? run.id;
  const recorder = createRequestRecorder({
    clock,
    owner: { runId: run.id },
    purpose: "answer",
    store: record,
    previous: lastItems.get(threadId),
    onStored: (stored) => lastItems.set(threadId, stored),
    hasBodies: true,
  });
  const answering = { emit, recorder, signal };
  const inputFor = async (of: rows.RunRow, model: Model, point: ResumePoint) =>
    prepare === undefined
      ? await prepareStoredRun(of, model, point, answering, dependencies)
      : await prepare(model, answering);
  const input = await inputFor(run, chosen ?? (await modelOrDefault(models, run)), from);
  const options = { clock, logger, signal, calls, runId: run.id };
  const events = streamWithFallback(input, options, async (fallback) => {
    const { id: model } = fallback.info;
    await emit({ type: "run-note", note: { kind: "model-failed", name: input.model.info.name }, model });
    const storeModel = async () => await db.write(async (tx) => await rows.changeRun(tx, run.id, { model }));
    await retryUntilAvailable(storeModel, { clock, signal });
    return await inputFor({ ...run, model }, fallback, { ...from, reply: replySoFar(), approved: [] });
  });
  return await writeEvents(events, emit);
}

async function writeEvents(
  events: ReturnType<typeof streamWithFallback>,
  emit: (event: RunEvent) => Promise<void>,
): Promise<LastEvent> {
  for (;;) {
    const { done, value } = await events.next();
    if (done !== true) await emit(value);
    else if ("pendingParts" in value) return { type: "run-wait", parts: value.pendingParts };
    else return { type: "run-end", state: "completed", finish_reason: value.finishReason, usage: {} };
  }
}

/** 1 hour: a longer wait is for a quota of a day or a month, which a countdown does not help with. */
const retryWaitMaxMs = 3_600_000;

function failure(
  run: rows.RunRow,
  error: unknown,
  { clock, logger }: Pick<ExecuteDependencies, "clock" | "logger">,
): LastEvent {
  const { code, err } = describeFailure(error);
  const facts = { runId: run.id, model: run.model, code, err };
  if (code === "internal") logger.error(facts, "a run failed");
  else logger.warn(facts, "a run failed");
  const waitMs = error instanceof ModelError ? error.retryAfterMs : undefined;
  const retryAt = waitMs === undefined || waitMs > retryWaitMaxMs ? undefined : clock.now() + waitMs;
  return {
    type: "run-end",
    state: "failed",
    finish_reason: "error",
    usage: {},
    error: {
      code,
      message: errors[code].message,
      ...(retryAt === undefined ? {} : { retry_at: retryAt }),
    },
  };
}

async function abortIfStopRequested(db: Database, runId: string, end: AbortController): Promise<void> {
  const now = await rows.readRun(db, runId).catch(() => undefined);
  if (now?.stop_requested_at != null) end.abort(new EndRequest("cancelled"));
}

/** A waiting run has no subscription to stop requests, so one that arrived while it was stored as waiting takes effect here. */
async function endIfStopRequested(
  db: Database,
  runId: string,
  endOrphanedRun: EndOrphanedRun,
): Promise<void> {
  const now = await rows.readRun(db, runId);
  if (now?.state === "requires-action" && now.stop_requested_at !== null)
    await endOrphanedRun(now, "cancelled");
}
