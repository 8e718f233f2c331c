import { errors } from "#contract/errors.ts";
import { addUsage, type FinishReason, type RunNote, type Usage } from "#contract/run-events.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Metrics } from "#server/metrics/metrics.ts";
import { describeFailure, type Model } from "#server/models/model.ts";
import { createCallLog } from "#server/runs/calls/call-log.ts";
import { putCalls, type CarriedOutCall } from "#server/runs/calls/rows.ts";
import { streamWithFallback } from "#server/runs/loop/answer.ts";
import type { Leases } from "#server/runs/leases/leases.ts";
import type { AnswerInput } from "#server/runs/loop/answer-state.ts";
import type { Answering } from "#server/runs/prepare/stored-run.ts";
import { createRequestRecorder } from "#server/runs/requests/recorder.ts";
import { costOfRun, putRequests, type NewRequest } from "#server/runs/requests/rows.ts";
import * as rows from "#server/runs/rows.ts";
import { usageColumns } from "#server/runs/usage-columns.ts";
import { encodeEvent } from "./encode-log.ts";
import type { Encoder } from "./encoder.ts";

/** A run that has no log: only its client gets its events. */
export type UnloggedRun = {
  run: rows.RunRow;
  model: Model;
  /** The request for the model, which may be the fallback one. */
  inputFor: (model: Model, answering: Omit<Answering, "emit">) => Promise<AnswerInput>;
  encoder: Encoder;
  /** Aborts when the client disconnects, which stops the run. */
  signal: AbortSignal;
};

/** Streams the answer to its client while it is written, then stores how the run ended. */
export async function* streamToClient(
  { run, model: chosenModel, inputFor, encoder, signal }: UnloggedRun,
  {
    db,
    clock,
    logger,
    leases,
    metrics,
  }: {
    db: Database;
    clock: Clock;
    logger: Logger;
    leases: Leases;
    metrics: Metrics | undefined;
  },
): AsyncGenerator<string> {
  const notes = notesOf(run);
  const release = leases.hold(run.id);
  const requests: NewRequest[] = [];
  const recorder = createRequestRecorder({
    clock,
    owner: { runId: run.id },
    purpose: "answer",
    store(request) {
      requests.push(request);
      metrics?.requestRecorded(request);
    },
  });
  const carriedOut: CarriedOutCall[] = [];
  const calls = createCallLog({
    db,
    clock,
    runId: run.id,
    leaseOwner: leases.owner,
    retried: async (work) => await work(),
    onLost() {
      throw new Error("the lease of a streamed run was lost");
    },
    record: (call) => void carriedOut.push(call),
  });
  let model = chosenModel;
  let usage: Usage = {};
  let hasText = false;
  let end: RunEnd = { state: "cancelled", finishReason: "other", code: null };
  let events: ReturnType<typeof streamWithFallback> | undefined;
  let last = "";
  try {
    yield encoder.begin(run.id);
    const answering = { recorder, signal };
    const options = { clock, logger, signal, calls, runId: run.id };
    events = streamWithFallback(await inputFor(model, answering), options, async (fallback) => {
      notes.push({ kind: "model-failed", name: model.info.name });
      model = fallback;
      return await inputFor(model, answering);
    });
    for (;;) {
      const step = await events.next();
      if (step.done === true) {
        // These runs never wait for an approval, so the answer is complete.
        const finishReason = "finishReason" in step.value ? step.value.finishReason : "other";
        end = { state: "completed", finishReason, code: null };
        last = encoder.end({ finishReason, usage });
        break;
      }
      if (!hasText && step.value.type.endsWith("-delta")) {
        hasText = true;
        metrics?.firstToken(model.info.id, clock.now() - run.created_at);
      }
      if (step.value.type === "run-note") notes.push(step.value.note);
      if (step.value.type === "step-end") usage = addUsage(usage, step.value.usage);
      const text = encodeEvent(step.value, encoder);
      if (text !== "") yield text;
    }
  } catch (error) {
    // Do not end the stream normally: if the server is shutting down, the client must not mistake the partial answer
    // for a complete one.
    if (signal.aborted) throw error;
    const { code, err } = describeFailure(error);
    logger.warn({ runId: run.id, code, err }, "a protocol client's run failed");
    end = { state: "failed", finishReason: "error", code };
    last = encoder.fail(errors[code].message);
  } finally {
    release();
    // The client may have gone between two words: the request to the model ends here.
    await events?.return({ finishReason: "other" }).catch(() => {});
    const change = {
      ...endColumns(end, usage),
      model: model.info.id,
      notes: notes.length === 0 ? null : JSON.stringify(notes),
      ended_at: clock.now(),
    };
    await db.write(async (tx) => {
      await putRequests(tx, requests);
      await putCalls(tx, carriedOut);
      await rows.changeRun(tx, run.id, { ...change, cost_micros: await costOfRun(tx, run.id) });
    });
    metrics?.runEnded({ state: end.state, model: model.info.id, usage });
  }
  // After the run is stored as ended, so that it no longer counts when the client starts the next one.
  yield last;
}

export function notesOf(run: rows.RunRow): RunNote[] {
  return run.notes === null ? [] : (JSON.parse(run.notes) as RunNote[]);
}

type RunEnd = {
  state: "completed" | "cancelled" | "failed";
  finishReason: FinishReason;
  code: string | null;
};

function endColumns(end: RunEnd, usage: Usage) {
  return {
    state: end.state,
    finish_reason: end.finishReason,
    error_code: end.code,
    lease_owner: null,
    lease_expires_at: null,
    ...usageColumns(usage),
  };
}
