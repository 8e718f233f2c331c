import { isJsonObject, parseJson, type Json, type JsonObject } from "#contract/json.ts";
import { chatUsage } from "../requests/finish-event.ts";
import type { LooseEvent } from "../requests/provider-api.ts";

/** What a chunk has of the answer, whatever else is in it. */
export function readLooseChunk({ choices, usage }: JsonObject): LooseEvent {
  const choice = firstChoice(choices);
  const delta = isJsonObject(choice?.delta) ? choice.delta : {};
  const reasoning = delta.reasoning_content ?? delta.reasoning;
  const reason = choice?.finish_reason;
  return {
    text: textIn(delta.content),
    ...(typeof reasoning === "string" ? { reasoning } : {}),
    ...(typeof reason === "string" ? { finishReason: reason } : {}),
    ...(isJsonObject(usage) ? { usage: chatUsage(usage) } : {}),
  };
}

function textIn(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (isJsonObject(part) && typeof part.text === "string" ? part.text : ""))
    .join("");
}

function firstChoice(choices: Json | undefined): JsonObject | undefined {
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  return isJsonObject(choice) ? choice : undefined;
}

/** The chunk without an error that is null, which the SDK takes for an error. */
export function withoutNullError(data: string): string {
  return data.replace(/"error":\s*null/, '"no_error":null');
}

/** The chunk with arguments of tool calls as text. Some servers send them as JSON. */
export function withTextArguments(data: string): string {
  if (!/"arguments":\s*[^"\s]/.test(data)) return data;
  const chunk = parseJson(data);
  const choice = isJsonObject(chunk) ? firstChoice(chunk.choices) : undefined;
  const delta = choice?.delta;
  if (!isJsonObject(delta) || !Array.isArray(delta.tool_calls)) return data;
  const toolCalls = delta.tool_calls.map((call) =>
    isJsonObject(call) && isJsonObject(call.function)
      ? { ...call, function: { ...call.function, arguments: argumentsText(call.function.arguments) } }
      : call,
  );
  return JSON.stringify({
    ...(chunk as JsonObject),
    choices: [{ ...choice, delta: { ...delta, tool_calls: toolCalls } }],
  });
}

/** Arguments as text; absent ones stay absent. */
export function argumentsText(args: Json | undefined): Json | undefined {
  return args === undefined || args === null || typeof args === "string" ? args : JSON.stringify(args);
}
