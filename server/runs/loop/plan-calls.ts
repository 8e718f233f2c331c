import { parseJson, type Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Logger } from "#server/lib/logger.ts";
import { requestHash } from "#server/lib/request-hash.ts";
import { decide, type ReadTexts, type RunRules } from "#server/tools/rules/decide.ts";
import { ToolError, type ServerTool, type Tool } from "#server/tools/tool.ts";
import type { AllowedCall } from "../calls/call-log.ts";
import type { PendingCall } from "./assemble.ts";

/** A call as the model wrote it. */
export type Call = { toolName: string; argsText: string };

export type CallResult = { result: Json; isError: boolean; from?: string | undefined };

/** What happens to a call. `fail` has the error result that the model gets; no person is asked about it. */
export type CallPlan =
  | ({ type: "execute" } & AllowedCall)
  | { type: "ask-approval"; tool: ServerTool; args: Json; strangers?: readonly string[]; isChanged?: true }
  | { type: "ask-result" }
  | ({ type: "fail" } & CallResult);

/** The calls that failed in an answer, by tool and arguments. */
export type FailedCalls = ReturnType<typeof createFailedCalls>;

export function createFailedCalls() {
  const counts = new Map<string, number>();
  const keyOf = ({ toolName, argsText }: Call) => requestHash([toolName, argsText]);
  return {
    add(call: Call): void {
      counts.set(keyOf(call), this.count(call) + 1);
    },
    count: (call: Call): number => counts.get(keyOf(call)) ?? 0,
  };
}

/** Decides about one call of a step. */
export function planCall(
  call: PendingCall,
  tools: readonly Tool[],
  { rules, read, failed, logger }: { rules: RunRules; read: ReadTexts; failed: FailedCalls; logger: Logger },
): CallPlan {
  const tool = tools.find((candidate) => candidate.name === call.toolName);
  if (tool === undefined) return fail(`There is no tool named ${call.toolName}.`);
  const args = parseArgs(call);
  if (args === undefined) return fail("The arguments are not valid JSON.");
  if (failed.count(call) >= limits.toolCallFailuresMax)
    return fail(
      `This call failed ${limits.toolCallFailuresMax} times with the same arguments, so it was not repeated. Do something else.`,
    );
  try {
    tool.check?.(args);
    if (tool.run === undefined) return { type: "ask-result" };
    const verdict = decide(tool, args, rules, read);
    if (verdict.does === "refuse") return fail(verdict.message);
    if (verdict.does === "run")
      return { type: "execute", toolCallId: call.toolCallId, tool, args, allowedBy: verdict.allowedBy };
    const { does: _, ...why } = verdict;
    return { type: "ask-approval", tool, args, ...why };
  } catch (error) {
    return { type: "fail", ...resultOfError(error, tool, logger) };
  }
}

function fail(message: string): CallPlan {
  return { type: "fail", ...errorResult(message) };
}

/** The arguments as JSON; `undefined` if they are not valid JSON. No text means no arguments. */
export function parseArgs({ argsText }: Pick<Call, "argsText">): Json | undefined {
  return argsText === "" ? {} : parseJson(argsText);
}

export function resultOfError(error: unknown, tool: Tool, logger: Logger): CallResult {
  if (error instanceof ToolError) return errorResult(error.message);
  logger.error({ tool: tool.name, err: error }, "a tool failed");
  return errorResult("The tool failed.");
}

export function errorResult(error: string): CallResult {
  return { result: { error }, isError: true };
}
