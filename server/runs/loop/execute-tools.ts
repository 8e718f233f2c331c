import type { Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import { ToolError, wantedOf, type CarriedOutTool, type Tool, type ToolContext } from "#server/tools/tool.ts";

/** A call as a model wrote it. */
export type Call = { toolName: string; argsText: string };

export type CallResult = { result: Json; isError: boolean };

/** What becomes of a call: its result at once, or what is to happen before there is one. */
export type Wanted =
  | { wants: "nothing" | "approval"; tool: CarriedOutTool; args: Json }
  | { wants: "result" }
  | ({ wants: "told" } & CallResult);

/** What calls of one answer have in common. */
export type CallContext = Omit<ToolContext, "signal" | "nowMs">;

type Options = { clock: Clock; logger: Logger; signal: AbortSignal };

/** What a call wants before it has a result. What no tool can make sense of is told to the model, not to a person. */
export function wantedOfCall(tools: readonly Tool[], call: Call, logger: Logger): Wanted {
  const tool = tools.find((candidate) => candidate.name === call.toolName);
  if (tool === undefined) return told(`There is no tool named ${call.toolName}.`);
  const args = argsOf(call);
  if (args === undefined) return told("The arguments are not valid JSON.");
  try {
    const wants = wantedOf(tool, args);
    return wants === "result" || tool.run === undefined ? { wants: "result" } : { wants, tool, args };
  } catch (error) {
    return { wants: "told", ...failureOf(error, tool, logger) };
  }
}

/** The same, where a person has said that these tools need not ask. */
export function withoutAsking(wanted: Wanted, allowed: readonly string[]): Wanted {
  return wanted.wants === "approval" && allowed.includes(wanted.tool.name)
    ? { ...wanted, wants: "nothing" }
    : wanted;
}

/** Carries out a call that a person allowed. */
export async function carryOutAllowed(
  tools: readonly Tool[],
  call: Call,
  context: CallContext,
  options: Options,
): Promise<CallResult> {
  const tool = tools.find((candidate) => candidate.name === call.toolName);
  const args = argsOf(call);
  // It was there when the person was asked: the server was started with others since.
  if (tool?.run === undefined || args === undefined)
    return { result: { error: `There is no tool named ${call.toolName} any more.` }, isError: true };
  return await carryOut(tool, args, context, options);
}

/** The result of one call; a failure is one too. Throws the signal's reason alone. */
export async function carryOut(
  tool: CarriedOutTool,
  args: Json,
  context: CallContext,
  { clock, logger, signal }: Options,
): Promise<CallResult> {
  const own = new AbortController();
  const limitMs = tool.timeLimitMs ?? limits.toolCallMs;
  const both = AbortSignal.any([signal, own.signal]);
  const late = clock.sleep(limitMs, both).then(() => {
    throw new ToolError(`This took longer than ${Math.round(limitMs / 1000)} s and was given up.`);
  });
  try {
    const work = tool.run(args, { ...context, nowMs: clock.now(), signal: both });
    return { result: await Promise.race([work, late]), isError: false };
  } catch (error) {
    signal.throwIfAborted();
    return failureOf(error, tool, logger);
  } finally {
    late.catch(() => {});
    own.abort();
  }
}

function argsOf({ argsText }: Call): Json | undefined {
  if (argsText === "") return {};
  try {
    return JSON.parse(argsText) as Json;
  } catch {
    return undefined;
  }
}

function told(error: string): Wanted {
  return { wants: "told", result: { error }, isError: true };
}

function failureOf(error: unknown, tool: Tool, logger: Logger): CallResult {
  if (error instanceof ToolError) return { result: { error: error.message }, isError: true };
  logger.error({ tool: tool.name, err: error }, "a tool failed");
  return { result: { error: "The tool failed." }, isError: true };
}
