import { isJsonObject, type Json } from "#contract/json.ts";
import type { EventText } from "../requests/provider-api.ts";

const empty: EventText = { reasoning: "", text: "" };

/**
 * The text of a chunk that contains only text; `undefined` for any other chunk, such as a tool call, a finish or an
 * error, which the SDK must read. Nearly all chunks of nearly all answers contain only text.
 */
export function readTextChunk(chunk: unknown): EventText | undefined {
  if (!isJsonObject(chunk) || !Array.isArray(chunk.choices) || isPresent(chunk.error)) return undefined;
  const [choice] = chunk.choices;
  if (choice === undefined) return empty;
  if (!isJsonObject(choice) || isPresent(choice.finish_reason)) return undefined;
  const { delta } = choice;
  if (!isPresent(delta)) return empty;
  if (
    !isJsonObject(delta) ||
    !isAssistant(delta.role) ||
    hasContent(delta.tool_calls) ||
    hasContent(delta.refusal)
  )
    return undefined;
  const { content, reasoning_content: reasoningContent, reasoning } = delta;
  if (!isOptionalString(content) || !isOptionalString(reasoningContent) || !isOptionalString(reasoning))
    return undefined;
  return { reasoning: reasoningContent ?? reasoning ?? "", text: content ?? "" };
}

function isPresent(value: Json | undefined): value is Json & {} {
  return value !== null && value !== undefined;
}

/** Whether a list or a string is present and not empty. */
function hasContent(value: Json | undefined): boolean {
  return isPresent(value) && !(Array.isArray(value) && value.length === 0) && value !== "";
}

function isAssistant(role: Json | undefined): boolean {
  return !isPresent(role) || role === "assistant" || role === "";
}

function isOptionalString(value: Json | undefined): value is string | null | undefined {
  return !isPresent(value) || typeof value === "string";
}
