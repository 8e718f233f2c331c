import type { Part } from "#contract/parts/kinds.ts";
import type { FinishReason, RunEvent } from "#contract/run-events.ts";
import { ModelError, type Model, type ModelMessage } from "#server/models/model.ts";
import { createAnswerArtifacts } from "#server/tools/artifacts/answer-artifacts.ts";
import {
  createCitations,
  sizeOfAnswer,
  type AnswerInput,
  type AnswerOptions,
  type AnswerState,
} from "./answer-state.ts";
import { createAssembler } from "./assemble.ts";
import { executeApprovedCalls, executeCalls, isCallerTool } from "./execute-tools.ts";
import { createModelRequests } from "./model-requests.ts";
import { streamModelStep } from "./model-step.ts";
import { stepMessages } from "../reply-steps.ts";
import { createFailedCalls } from "./plan-calls.ts";
import { createReadTexts } from "./read-texts.ts";

/** How an answer ended, or the parts whose tool calls wait for a person. */
export type AnswerEnd = { finishReason: FinishReason } | { pendingParts: number[] };

/**
 * Streams the answer of the input's model or, if that fails before its first token, of the assistant's fallback model.
 * The input for that one is what `prepareFallback` returns.
 */
export async function* streamWithFallback(
  input: AnswerInput,
  options: AnswerOptions & { runId: string },
  prepareFallback: (fallback: Model) => Promise<AnswerInput>,
): AsyncGenerator<RunEvent, AnswerEnd> {
  const events = streamAnswer(input, options);
  let hasOutput = false;
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done === true) return value;
      hasOutput ||= value.type.endsWith("-delta") || value.type === "tool-call-start";
      yield value;
    }
  } catch (error) {
    const isFinal = hasOutput || options.signal.aborted;
    const fallback = isFinal ? undefined : await input.findFallback(error);
    if (fallback === undefined) throw error;
    const facts = { runId: options.runId, model: input.model.info.id, fallback: fallback.info.id };
    options.logger.warn(
      { ...facts, err: (error as ModelError).cause },
      "a model failed, so the fallback model answers",
    );
    return yield* streamAnswer(await prepareFallback(fallback), options);
  } finally {
    // Does nothing if the answer has ended.
    await events.return({ finishReason: "other" });
  }
}

/**
 * Requests a step from the model, executes the tools that it calls, and repeats that until the model is done or a person
 * must act. Yields the run events as they arise and returns how the answer ended. Throws `ModelError` and the signal's
 * reason, after closing the open part.
 */
export async function* streamAnswer(
  input: AnswerInput,
  options: AnswerOptions,
): AsyncGenerator<RunEvent, AnswerEnd> {
  const citations = createCitations(input.partsBefore);
  const artifacts = createAnswerArtifacts(input.messages, input.partsBefore, {
    isCut: input.isCut === true || input.summary !== undefined,
  });
  const context = {
    ...input.context,
    question: lastQuestion(input.messages),
    cite: citations.cite,
    countCall: createCallCounter(input.partsBefore),
    artifacts,
  };
  const { approved, partsBefore } = input;
  const { parts, waiting: askedAgain } =
    approved.length === 0
      ? { parts: partsBefore, waiting: [] }
      : yield* executeApprovedCalls(input, context, options);
  if (askedAgain.length > 0) return { pendingParts: askedAgain };
  const assembler = createAssembler({
    clock: options.clock,
    before: parts,
    stepEnd: input.stepEnds.at(-1) ?? 0,
  });
  const size = sizeOfAnswer(parts);
  for (const source of citations.takeSources())
    for (const event of assembler.add(source)) yield size.count(event);
  const requests = await createModelRequests(input, parts);
  const hasSummary = input.summary !== undefined || input.isCut === true;
  const earlier = hasSummary ? await input.listStrangers() : [];
  const read = createReadTexts([...input.messages, ...stepMessages(parts, input)], earlier);
  const state: AnswerState = { assembler, citations, artifacts, size, read, failed: createFailedCalls() };
  for (let step = 1; step <= input.stepsMax; step++) {
    const made = yield* streamModelStep(input, input.stepEnds.length + step, requests, state, options.signal);
    const { calls, finishReason } = made;
    if (calls.length === 0) return { finishReason };
    if (made.parts.some(({ providerData }) => providerData !== undefined))
      await input.saveStep?.({ firstCall: Math.min(...calls.map(({ part }) => part)), parts: made.parts });
    artifacts.addStep(made.parts);
    const { finished, waiting } = yield* executeCalls(calls, input, context, state, options);
    if (waiting.length > 0) return { pendingParts: waiting };
    if (calls.some((call) => isCallerTool(input, call))) return { finishReason: "tool-calls" };
    requests.addStep(made.parts, finished);
  }
  throw new ModelError("too-many-steps");
}

/** Counts the calls of each tool that were executed, in earlier runs of the answer too. */
function createCallCounter(before: readonly Part[]): (toolName: string) => number {
  const counts = new Map<string, number>();
  const count = (name: string) => {
    const next = (counts.get(name) ?? 0) + 1;
    counts.set(name, next);
    return next;
  };
  for (const part of before) if (part.type === "tool-call" && part.result !== undefined) count(part.toolName);
  return count;
}

/** The text of the person's last message. */
function lastQuestion(messages: readonly ModelMessage[]): string {
  const last = messages.findLast(({ role }) => role === "user");
  if (last?.role !== "user") return "";
  return last.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}
