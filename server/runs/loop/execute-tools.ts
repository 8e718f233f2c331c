import { foldOne, type Reply } from "#contract/fold.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { carriedOutArgs, type AskedTool, type ToolCallPart } from "#contract/parts/tool-call.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { parametersError } from "#server/tools/parameters.ts";
import { boundResult } from "#server/tools/results/bound-result.ts";
import { decide, type RunRules } from "#server/tools/rules/decide.ts";
import {
  askedToolOf,
  hasConsequences,
  isAsShown,
  strangersOf,
  ToolError,
  type Tool,
  type ToolContext,
} from "#server/tools/tool.ts";
import type { AllowedCall } from "../calls/call-log.ts";
import type { AnswerInput, AnswerOptions, AnswerState } from "./answer-state.ts";
import type { PendingCall } from "./assemble.ts";
import {
  errorResult,
  parseArgs,
  planCall,
  resultOfError,
  type CallPlan,
  type CallResult,
} from "./plan-calls.ts";

/** The part of a tool's context that all calls of one answer share. */
type CallContext = Omit<ToolContext, "signal" | "nowMs">;

export type FinishedCall = { call: PendingCall } & CallResult;

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
  { assembler, citations, artifacts, size, read, failed }: AnswerState,
  options: AnswerOptions,
): AsyncGenerator<RunEvent, ExecutedCalls> {
  const own = calls.filter((call) => !isCallerTool(input, call));
  // Read in every step, because a person can withdraw what they allowed at any time.
  const rules = own.length === 0 ? undefined : await input.readRules();
  const planned = own.map((call) => ({
    call,
    plan: planCall(call, input.tools, { rules: rules!, read, failed, logger: options.logger }),
  }));
  for (const { call, plan } of planned)
    if (plan.type === "execute" && isWorthTelling(plan))
      yield automaticDecision(call.part, plan, options.clock.now());
  const sentBefore = await options.calls.claim(
    planned.flatMap(({ plan }) => (plan.type === "execute" && mustBeClaimed(plan) ? [plan] : [])),
  );
  const finished = await Promise.all(
    planned.flatMap(({ call, plan }) => {
      if (plan.type === "execute") return [finish(call, executeOnce(plan, sentBefore, context, options))];
      return plan.type === "fail" ? [finish(call, plan)] : [];
    }),
  );
  for (const { call, ...result } of finished) {
    if (result.isError) failed.add(call);
    read.add({ ...result, toolName: call.toolName, args: parseArgs(call) });
    yield size.count(resultEvent(call.part, result, options.clock.now()));
  }
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
    if (plan.type === "ask-approval") yield askEvent(call.part, plan, read.lastArgs(call.toolName));
    if (plan.type === "ask-approval" || plan.type === "ask-result") waiting.push(call.part);
  }
  return { finished, waiting };
}

/**
 * Executes the calls that a person approved while the run waited, and asks again about those whose tool is no longer what
 * the person was shown. Returns the parts of the reply with the results, and the parts that wait again.
 */
export async function* executeApprovedCalls(
  input: AnswerInput,
  context: CallContext,
  options: AnswerOptions,
): AsyncGenerator<RunEvent, { parts: readonly Part[]; waiting: number[] }> {
  const rules = await input.readRules();
  const planned = input.approved.flatMap((part) => {
    const call = input.partsBefore[part];
    return call?.type === "tool-call" ? [{ part, plan: planApproved(input.tools, call, rules) }] : [];
  });
  const sentBefore = await options.calls.claim(
    planned.flatMap(({ plan }) => (plan.type === "execute" ? [plan] : [])),
  );
  const events = await Promise.all(
    planned.map(async ({ part, plan }): Promise<RunEvent> => {
      if (plan.type === "ask-approval") return askEvent(part, plan);
      const result =
        plan.type === "execute" ? await executeOnce(plan, sentBefore, context, options) : resultOfPlan(plan);
      return resultEvent(part, result, options.clock.now());
    }),
  );
  let reply: Reply = { parts: input.partsBefore };
  const waiting: number[] = [];
  for (const event of events) {
    reply = foldOne(reply, event);
    if (event.type === "tool-call-ask") waiting.push(event.part);
    yield event;
  }
  options.signal.throwIfAborted();
  return { parts: reply.parts, waiting };
}

/** What happens to a call that a person approved. The tool, its rules and the server may have changed since. */
function planApproved(tools: readonly Tool[], call: ToolCallPart, rules: RunRules): CallPlan {
  const { toolCallId, toolName, approval, timing } = call;
  const tool = tools.find(({ name }) => name === toolName);
  const args = carriedOutArgs(call) ?? parseArgs(call);
  if (tool?.run === undefined || args === undefined)
    return { type: "fail", ...errorResult(`There is no tool named ${toolName} any more.`) };
  if (!isAsShown(tool, call)) return { type: "ask-approval", tool, args, isChanged: true };
  const verdict = decide(tool, args, rules, { strangers: [], knows: () => false });
  if (verdict.does === "refuse") return { type: "fail", ...errorResult(verdict.message) };
  const mistake = approval?.args && parametersError(tool.parameters, args);
  if (mistake !== undefined) return { type: "fail", ...errorResult(mistake) };
  return { type: "execute", toolCallId, tool, args, allowedBy: "person", allowedAt: timing?.startedAt };
}

function resultOfPlan(plan: CallPlan): CallResult {
  return plan.type === "fail" ? plan : errorResult("The call was not carried out.");
}

/** A larger schema is not checked, and larger arguments are not compared: they would be stored with every question. */
const detailCharactersMax = 16_384;

function askEvent(part: number, plan: CallPlan & { type: "ask-approval" }, lastArgs?: JsonObject): RunEvent {
  const { tool, args, strangers, isChanged } = plan;
  const { parameters } = tool;
  const asked: AskedTool = {
    ...askedToolOf(tool, args),
    ...(strangers && { strangers: [...strangers] }),
    ...(isChanged && { isChanged }),
    ...(isSmall(lastArgs) && { lastArgs }),
  };
  return { type: "tool-call-ask", part, tool: asked, ...(isSmall(parameters) && { parameters }) };
}

function isSmall(value: JsonObject | undefined): value is JsonObject {
  return value !== undefined && JSON.stringify(value).length <= detailCharactersMax;
}

/** Whether a person's or an administrator's rule decided in place of a question. */
function isWorthTelling({ tool, allowedBy }: AllowedCall): boolean {
  return hasConsequences(tool) && allowedBy !== "tool";
}

/** Whether it matters that the call is sent only once: the others only read on this server. */
function mustBeClaimed({ tool, allowedBy }: AllowedCall): boolean {
  return hasConsequences(tool) || allowedBy === "person";
}

function automaticDecision(part: number, { tool, args }: AllowedCall, at: number): RunEvent {
  const asked = askedToolOf(tool, args);
  return { type: "tool-call-decision", part, approved: true, automatic: true, tool: asked, at };
}

/** Whether the caller of the answer executes this tool. */
export function isCallerTool({ callerTools }: AnswerInput, call: PendingCall): boolean {
  return callerTools.some((tool) => tool.name === call.toolName);
}

async function finish(call: PendingCall, result: CallResult | Promise<CallResult>): Promise<FinishedCall> {
  const { result: value, isError, from } = await result;
  return { call, result: value, isError, from };
}

function resultEvent(part: number, { result, isError, from }: CallResult, at: number): RunEvent {
  return {
    type: "tool-call-result",
    part,
    result,
    ...(isError ? { is_error: true } : {}),
    ...(from === undefined ? {} : { from }),
    at,
  };
}

async function executeOnce(
  call: AllowedCall,
  sentBefore: ReadonlySet<string>,
  context: CallContext,
  options: AnswerOptions,
): Promise<CallResult> {
  if (sentBefore.has(call.toolCallId))
    return errorResult(
      "This call was sent before the server restarted. It may have done some of its work. It was not repeated.",
    );
  const executed = await executeCall(call.tool, call.args, context, options);
  const from = strangersOf(call.tool, call.args);
  const result = { ...executed, ...(from === undefined ? {} : { from }) };
  options.calls.end(call, result);
  return result;
}

/** The result of one call. A tool that fails or takes too long has an error result. Throws only the signal's reason. */
async function executeCall(
  tool: AllowedCall["tool"],
  args: Json,
  context: CallContext,
  { clock, logger, signal }: AnswerOptions,
): Promise<CallResult> {
  const ended = new AbortController();
  const timeoutMs = tool.timeLimitMs ?? limits.toolCallMs;
  const callSignal = AbortSignal.any([signal, ended.signal]);
  const timeout = clock.sleep(timeoutMs, callSignal).then(() => {
    throw new ToolError(`This took longer than ${Math.round(timeoutMs / 1000)} s and was given up.`);
  });
  try {
    const running = tool.run(args, { ...context, nowMs: clock.now(), signal: callSignal });
    return { result: boundResult(await Promise.race([running, timeout])), isError: false };
  } catch (error) {
    signal.throwIfAborted();
    const { result, isError } = resultOfError(error, tool, logger);
    return { result: boundResult(result), isError };
  } finally {
    timeout.catch(() => {});
    ended.abort();
  }
}
