import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import type { ModelMessage } from "./model-message.ts";
import { modelMessages, partsOfRole } from "./to-model.ts";
import { denialMessage } from "./tool-call.ts";

/**
 * The messages in a protocol client's run request as a model reads them. Each message has one of three shapes: that of
 * the AI SDK's language models (`system` as a string, calls with `input`, results in messages of the role `tool`),
 * `aui/v0` (`content` with calls that have their results, `attachments`), or the AI SDK's UI messages (`parts`). Unknown
 * parts are left out. Never throws.
 */
export function wireToModelMessages(messages: readonly unknown[]): ModelMessage[] {
  const results = toolResults(messages);
  return messages.flatMap((message) => {
    if (!isJsonObject(message) || typeof message.role !== "string") return [];
    const { role, content } = message;
    const parts = Array.isArray(content)
      ? partsOfRole(role, "aui/v0", { ...message, content: content.map((part) => fromWire(part, results)) })
      : partsOfRole(role, "", message);
    return modelMessages(role, parts);
  });
}

type Result = { result: Json; isError?: true };

/** Results by call id, in their order. A client may use an id twice. */
function toolResults(messages: readonly unknown[]): Map<string, Result[]> {
  const results = new Map<string, Result[]>();
  for (const message of messages) {
    if (!isJsonObject(message) || message.role !== "tool" || !Array.isArray(message.content)) continue;
    for (const part of message.content) {
      if (!isJsonObject(part) || part.type !== "tool-result" || typeof part.toolCallId !== "string") continue;
      const earlier = results.get(part.toolCallId);
      if (earlier === undefined) results.set(part.toolCallId, [resultFromWire(part)]);
      else earlier.push(resultFromWire(part));
    }
  }
  return results;
}

function resultFromWire(part: JsonObject): Result {
  const { output } = part;
  if (!isJsonObject(output)) {
    // Older clients send the value itself.
    return { result: output ?? part.result ?? null, ...(part.isError === true ? { isError: true } : {}) };
  }
  switch (output.type) {
    case "error-text":
    case "error-json":
      return { result: output.value ?? null, isError: true };
    case "execution-denied":
      return { result: output.reason ?? denialMessage(undefined), isError: true };
    default:
      return { result: output.value ?? null };
  }
}

function fromWire(part: unknown, results: Map<string, Result[]>): unknown {
  if (!isJsonObject(part)) return undefined;
  if (part.type === "tool-call") return callFromWire(part, results);
  if (part.type === "file" && typeof part.mediaType === "string") return fileFromWire(part);
  return part;
}

function callFromWire(part: JsonObject, results: Map<string, Result[]>): unknown {
  const { input, ...rest } = part;
  const call =
    input === undefined
      ? rest
      : { ...rest, ...(typeof input === "string" ? { argsText: input } : { args: input }) };
  if (part.result !== undefined || typeof part.toolCallId !== "string") return call;
  return { ...call, ...results.get(part.toolCallId)?.shift() };
}

function fileFromWire(part: JsonObject): unknown {
  const { mediaType, ...rest } = part;
  return { ...rest, data: part.data ?? part.url, mimeType: mediaType };
}
