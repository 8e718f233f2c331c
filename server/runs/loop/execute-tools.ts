import { foldOne, type Reply } from "#contract/fold.ts";
import { parseJson, type Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { RunEvent } from "#contract/run-events.ts";
import type { Logger } from "#server/lib/logger.ts";
import {
  askedToolOf,
  isAsShown,
  ToolError,
  requiredInput,
  type ServerTool,
  type Tool,
  type ToolContext,
} from "#server/tools/tool.ts";
import type { AnswerInput, AnswerOptions, AnswerState } from "./answer-state.ts";
import type { PendingCall } from "./assemble.ts";

/** A call as the model wrote it. */
type Call = { toolName: string; argsText: string };

type CallResult = { result: Json; isError: boolean };

/** What happens to a call. `fail` has the error result that the model gets; no person is asked about it. */
type CallPlan =
  | { type: "execute" | "ask-approval"; tool: ServerTool; args: Json }
  | { type: "ask-result" }
  | ({ type: "fail" } & CallResult);

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
    if (plan.type === "ask-approval") yield askEvent(call.part, plan.tool);
    if (plan.type === "ask-approval" || plan.type === "ask-result") waiting.push(call.part);
  }
  return { finished, waiting };
}

/**
 * Executes the calls that a person approved while the run waited, and asks again about those whose tool is no longer what
 * the person was shown. Returns the parts of the reply with the results, and the parts that wait again.
 */
export async function* executeApprovedCalls(
  { partsBefore, approved, tools }: AnswerInput,
  context: CallContext,
  options: AnswerOptions,
): AsyncGenerator<RunEvent, { parts: readonly Part[]; waiting: number[] }> {
  const events = await Promise.all(
    approved.map(async (part): Promise<RunEvent | undefined> => {
      const call = partsBefore[part];
      if (call?.type !== "tool-call") return undefined;
      const tool = tools.find(({ name }) => name === call.toolName);
      if (tool !== undefined && !isAsShown(tool, call)) return askEvent(part, tool);
      const result = await executeApproved(tool, call, context, options);
      return resultEvent(part, result, options.clock.now());
    }),
  );
  let reply: Reply = { parts: partsBefore };
  const waiting: number[] = [];
  for (const event of events) {
    if (event === undefined) continue;
    reply = foldOne(reply, event);
    if (event.type === "tool-call-ask") waiting.push(event.part);
    yield event;
  }
  options.signal.throwIfAborted();
  return { parts: reply.parts, waiting };
}

function askEvent(part: number, tool: Tool): RunEvent {
  return { type: "tool-call-ask", part, tool: askedToolOf(tool) };
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

function planCall(tools: readonly Tool[], call: Call, logger: Logger): CallPlan {
  const tool = tools.find((candidate) => candidate.name === call.toolName);
  if (tool === undefined) return { type: "fail", ...errorResult(`There is no tool named ${call.toolName}.`) };
  const args = parseArgs(call);
  if (args === undefined) return { type: "fail", ...errorResult("The arguments are not valid JSON.") };
  try {
    const wanted = requiredInput(tool, args);
    if (wanted === "result" || tool.run === undefined) return { type: "ask-result" };
    return { type: wanted === "approval" ? "ask-approval" : "execute", tool, args };
  } catch (error) {
    return { type: "fail", ...resultOfError(error, tool, logger) };
  }
}

/** Executes a call that a person approved. The server may have restarted without the tool since it asked. */
async function executeApproved(
  tool: Tool | undefined,
  call: Call,
  context: CallContext,
  options: AnswerOptions,
): Promise<CallResult> {
  const args = parseArgs(call);
  if (tool?.run === undefined || args === undefined)
    return errorResult(`There is no tool named ${call.toolName} any more.`);
  return await executeCall(tool, args, context, options);
}

/** The result of one call. A tool that fails or takes too long has an error result. Throws only the signal's reason. */
async function executeCall(
  tool: ServerTool,
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
    return { result: await Promise.race([running, timeout]), isError: false };
  } catch (error) {
    signal.throwIfAborted();
    return resultOfError(error, tool, logger);
  } finally {
    timeout.catch(() => {});
    ended.abort();
  }
}

/** The arguments as JSON; `undefined` if they are not valid JSON. No text means no arguments. */
export function parseArgs({ argsText }: Pick<Call, "argsText">): Json | undefined {
  return argsText === "" ? {} : parseJson(argsText);
}

function resultOfError(error: unknown, tool: Tool, logger: Logger): CallResult {
  if (error instanceof ToolError) return errorResult(error.message);
  logger.error({ tool: tool.name, err: error }, "a tool failed");
  return errorResult("The tool failed.");
}

function errorResult(error: string): CallResult {
  return { result: { error }, isError: true };
}
