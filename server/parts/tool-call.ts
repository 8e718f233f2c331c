import type { ToolCallPart } from "#contract/parts/tool-call.ts";
import type { ModelToolResult } from "./model-message.ts";
import { nothing, type PartToModel } from "./kind.ts";

export const toolCall: PartToModel<ToolCallPart> = {
  user: nothing,
  assistant: (part) => ({
    type: "tool-call",
    toolCallId: part.toolCallId,
    toolName: part.toolName,
    args: part.args ?? {},
  }),
};

/**
 * The result of a call as a model reads it. Providers refuse a conversation with an unanswered call, so a call without a
 * result (the run was stopped, a person never decided) gets an error as its result.
 */
export function resultOf(part: ToolCallPart): ModelToolResult {
  const { toolCallId, toolName, result, approval } = part;
  if (approval?.approved === false) {
    return { toolCallId, toolName, result: deniedWords(approval.reason), isError: true, isDenied: true };
  }
  if (result === undefined) {
    return { toolCallId, toolName, result: unfinishedWords(part), isError: true };
  }
  return { toolCallId, toolName, result, isError: part.isError === true };
}

/** What a model reads about a call that a person denied. */
export function deniedWords(reason: string | undefined): string {
  const denied = "The person did not allow this tool call.";
  return reason === undefined ? denied : `${denied} They said: ${reason}`;
}

function unfinishedWords({ isError, approval }: ToolCallPart): string {
  if (isError === true) return "The tool failed.";
  return approval?.approved === true
    ? "This tool call was interrupted. It may have done some of its work."
    : "This tool call was not carried out.";
}
