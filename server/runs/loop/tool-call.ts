import { parseJson, type Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import {
  ToolError,
  requiredInput,
  type ServerTool,
  type Tool,
  type ToolContext,
} from "#server/tools/tool.ts";

/** A call as the model wrote it. */
export type Call = { toolName: string; argsText: string };

export type CallResult = { result: Json; isError: boolean };

/** What happens to a call. `fail` has the error result that the model gets; no person is asked about it. */
export type CallPlan =
  | { type: "execute" | "ask-approval"; tool: ServerTool; args: Json }
  | { type: "ask-result" }
  | ({ type: "fail" } & CallResult);

/** The part of a tool's context that all calls of one answer share. */
export type CallContext = Omit<ToolContext, "signal" | "nowMs">;

type Options = { clock: Clock; logger: Logger; signal: AbortSignal };

export function planCall(tools: readonly Tool[], call: Call, logger: Logger): CallPlan {
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
export async function executeApprovedCall(
  tools: readonly Tool[],
  call: Call,
  context: CallContext,
  options: Options,
): Promise<CallResult> {
  const tool = tools.find((candidate) => candidate.name === call.toolName);
  const args = parseArgs(call);
  if (tool?.run === undefined || args === undefined)
    return errorResult(`There is no tool named ${call.toolName} any more.`);
  return await executeCall(tool, args, context, options);
}

/** The result of one call. A tool that fails or takes too long has an error result. Throws only the signal's reason. */
export async function executeCall(
  tool: ServerTool,
  args: Json,
  context: CallContext,
  { clock, logger, signal }: Options,
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
