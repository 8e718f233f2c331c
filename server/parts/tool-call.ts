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
  const { toolCallId, toolName, result, approval } = part;
  if (approval?.approved === false) {
    const reason = typeof approval.reason === "string" ? approval.reason : undefined;
    return { toolCallId, toolName, result: deniedWords(reason), isError: true, isDenied: true };
  }
  if (result === undefined) {
    const words =
      approval?.approved === true
        ? "This tool call was broken off; nobody knows how far it got."
        : "This tool call was not carried out.";
    return { toolCallId, toolName, result: words, isError: true };
  }
  return { toolCallId, toolName, result, isError: part.isError === true };
}

/** How a model is told that a person did not allow a call. */
export function deniedWords(reason: string | undefined): string {
  const denied = "The person did not allow this tool call.";
  return reason === undefined ? denied : `${denied} They said: ${reason}`;
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
