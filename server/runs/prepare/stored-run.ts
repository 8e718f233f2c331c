import type { Reply } from "#contract/fold.ts";
import type { RunEvent } from "#contract/run-events.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import { timeZoneOf } from "#server/lib/time-zone.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Model } from "#server/models/model.ts";
import type { AnswerInput } from "../loop/answer-state.ts";
import { listReplySteps, replyStepWriter } from "../reply-steps.ts";
import type { RequestRecorder } from "../requests/recorder.ts";
import * as rows from "../rows.ts";
import { resolveAssistant } from "./choose.ts";
import { prepareRun, retryUntilAvailable } from "./prepare-run.ts";
import type { PrepareModules } from "./prepared-run.ts";

/**
 * The reply of a run so far, the parts whose tool calls a person just approved, and whether its last text was broken off
 * because a process handed the run over.
 */
export type ResumePoint = { reply: Reply; approved: number[]; isHandedOver?: boolean };

/** What the answer of a run is written with. */
export type Answering = {
  emit: (event: RunEvent) => Promise<void>;
  recorder: RequestRecorder;
  signal: AbortSignal;
};

export type StoredRunModules = PrepareModules & { assistants: Assistants; messages: Messages };

/**
 * Prepares a run that answers in its thread. If the assistant or the model no longer exists, the run's row gets the
 * replacement and `emit` a note for the person. Throws what `prepareRun` does.
 */
export async function prepareStoredRun(
  run: rows.RunRow,
  model: Model,
  { reply, approved, isHandedOver = false }: ResumePoint,
  { emit, recorder, signal }: Answering,
  modules: StoredRunModules,
): Promise<AnswerInput> {
  const { db, clock, assistants, messages } = modules;
  const retried = async <T>(work: () => Promise<T>) => await retryUntilAvailable(work, { clock, signal });
  const isStart = reply.parts.length === 0;
  const branch = await retried(async () => await messages.historyOf(run));
  const resolved = await retried(async () => await resolveAssistant(assistants, run, model));
  const { assistant, notes, replacement } = resolved;
  const answers = [...branch.pinned, ...branch.messages].filter(({ role }) => role === "assistant");
  const answerIds = [...answers.map(({ id }) => id), ...(isStart ? [] : [run.reply_id!])];
  const steps = await retried(async () => await listReplySteps(db, answerIds));
  const prepared = await prepareRun(
    {
      use: rows.modelUseOf(run),
      model,
      assistant,
      conversation: { from: "thread", branch, steps },
      ownTools: "all",
      effort: run.reasoning_effort,
      timeZone: timeZoneOf(run.time_zone),
      nowMs: clock.now(),
      hasBegun: !isStart,
      // A comparison is of the chosen models only.
      hasFallback: run.comparison_id === null,
      recorder,
      signal,
    },
    modules,
  );
  for (const note of notes) await emit({ type: "run-note", note });
  if (replacement !== undefined)
    await retried(async () => await db.write(async (tx) => await rows.changeRun(tx, run.id, replacement)));
  const { forbiddenTools, unavailableTools, remoteTools } = prepared;
  // An assistant with all tools does not rely on any of them.
  if (assistant.tools !== null && isStart) {
    if (forbiddenTools.length > 0)
      await emit({ type: "run-note", note: { kind: "tools-not-allowed", name: forbiddenTools.join(", ") } });
    if (remoteTools.length > 0)
      await emit({ type: "run-note", note: { kind: "tools-not-local", name: remoteTools.join(", ") } });
  }
  if (unavailableTools.length > 0)
    await emit({
      type: "run-note",
      note: { kind: "tools-unavailable", name: unavailableTools.join(", ") },
    });
  return {
    ...prepared,
    isHandedOver,
    partsBefore: reply.parts,
    stepEnds: reply.stepEnds ?? [],
    storedSteps: steps.get(run.reply_id!) ?? [],
    saveStep: replyStepWriter(db, run.reply_id!, retried),
    approved,
  };
}
