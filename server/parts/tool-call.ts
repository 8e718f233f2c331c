import { isJsonObject, type JsonObject } from "#contract/json.ts";
import type { ToolCallPart } from "#contract/parts/tool-call.ts";
import type { ModelToolResult } from "./model-message.ts";
import { nothing, type PartToModel } from "./kind.ts";

export const toolCall: PartToModel<ToolCallPart> = {
  user: nothing,
  assistant: (part) => ({
    type: "tool-call",
    toolCallId: part.toolCallId,
    toolName: part.toolName,
    args: argsOf(part),
  }),
};

/**
 * The result that a model is told of a call. Every call must be answered or providers refuse the conversation, so a
 * call that never got a result (the run was stopped, a person never decided) is answered by an error.
 */
export function resultOf(part: ToolCallPart): ModelToolResult {
  const { toolCallId, toolName, result } = part;
  if (result === undefined) {
    return { toolCallId, toolName, result: "This tool call was not carried out.", isError: true };
  }
  return { toolCallId, toolName, result, isError: part.isError === true };
}

/** Some clients store only what the model wrote. What is no JSON object is told as no arguments. */
function argsOf(part: ToolCallPart): JsonObject {
  if (isJsonObject(part.args)) return part.args;
  if (typeof part.argsText !== "string") return {};
  try {
    const args: unknown = JSON.parse(part.argsText);
    return isJsonObject(args) ? args : {};
  } catch {
    return {};
  }
}
