import { foldOne, type Reply } from "#contract/fold.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { RunEvent } from "#contract/run-events.ts";
import type { AnswerInput, AnswerOptions, AnswerState } from "./answer-state.ts";
import type { PendingCall } from "./assemble.ts";
import type { FinishedCall } from "./model-requests.ts";
import {
  executeApprovedCall,
  executeCall,
  planCall,
  type CallContext,
  type CallPlan,
  type CallResult,
} from "./tool-call.ts";

/** The calls that have a result, and the parts of those that wait for a person. */
export type ExecutedCalls = { finished: FinishedCall[]; waiting: number[] };

/**
 * Executes the calls of one step in parallel and yields their results, their sources, the texts that they add and the
 * requests for approval. The caller's own tools are left to the caller. Throws `answer-too-long`.
 */
export async function* executeCalls(
  calls: readonly PendingCall[],
  input: AnswerInput,
  context: CallContext,
  { assembler, citations, artifacts, size }: AnswerState,
  options: AnswerOptions,
): AsyncGenerator<RunEvent, ExecutedCalls> {
  const planned = await planCalls(
    calls.filter((call) => !isCallerTool(input, call)),
    input,
    options,
  );
  const finished = await Promise.all(
    planned.flatMap(({ call, plan }) => {
      if (plan.type === "execute") return [finish(call, executeCall(plan.tool, plan.args, context, options))];
      return plan.type === "fail" ? [finish(call, plan)] : [];
    }),
  );
  for (const { call, ...result } of finished)
    yield size.count(resultEvent(call.part, result, options.clock.now()));
  for (const source of citations.takeSources())
    for (const event of assembler.add(source)) yield size.count(event);
  const texts = artifacts.takeTexts();
  for (const text of texts)
    for (const event of [...assembler.take({ type: "text", text }), ...assembler.close()])
      yield size.count(event);
  // Ends the step again: who resumes the answer must not take these texts for one that the model has to continue.
  if (texts.length > 0) yield size.count({ type: "step-end", usage: {} });
  options.signal.throwIfAborted();
  const waiting: number[] = [];
  for (const { call, plan } of planned) {
    if (plan.type === "ask-approval") yield { type: "tool-call-ask", part: call.part };
    if (plan.type === "ask-approval" || plan.type === "ask-result") waiting.push(call.part);
  }
  return { finished, waiting };
}

/** Executes the calls that a person approved while the run waited. Returns the parts of the reply with their results. */
export async function* executeApprovedCalls(
  { partsBefore, approved, tools }: AnswerInput,
  context: CallContext,
  options: AnswerOptions,
): AsyncGenerator<RunEvent, readonly Part[]> {
  const results = await Promise.all(
    approved.map(async (part) => {
      const call = partsBefore[part];
      if (call?.type !== "tool-call") return undefined;
      return { part, result: await executeApprovedCall(tools, call, context, options) };
    }),
  );
  let reply: Reply = { parts: partsBefore };
  for (const executed of results) {
    if (executed === undefined) continue;
    const event = resultEvent(executed.part, executed.result, options.clock.now());
    reply = foldOne(reply, event);
    yield event;
  }
  options.signal.throwIfAborted();
  return reply.parts;
}

/** Whether the caller of the answer executes this tool. */
export function isCallerTool({ callerTools }: AnswerInput, call: PendingCall): boolean {
  return callerTools.some((tool) => tool.name === call.toolName);
}

type PlannedCall = { call: PendingCall; plan: CallPlan };

/** Reads the tools that are always allowed in every step, because a person can withdraw that at any time. */
async function planCalls(
  calls: PendingCall[],
  { tools, allowedTools }: AnswerInput,
  { logger }: AnswerOptions,
): Promise<PlannedCall[]> {
  const planned = calls.map((call): PlannedCall => ({ call, plan: planCall(tools, call, logger) }));
  if (planned.every(({ plan }) => plan.type !== "ask-approval")) return planned;
  const allowed = await allowedTools();
  return planned.map(({ call, plan }) =>
    plan.type === "ask-approval" && allowed.includes(plan.tool.name)
      ? { call, plan: { ...plan, type: "execute" } }
      : { call, plan },
  );
}

async function finish(call: PendingCall, result: CallResult | Promise<CallResult>): Promise<FinishedCall> {
  const { result: value, isError } = await result;
  return { call, result: value, isError };
}

function resultEvent(part: number, { result, isError }: CallResult, at: number): RunEvent {
  return { type: "tool-call-result", part, result, ...(isError ? { is_error: true } : {}), at };
}
