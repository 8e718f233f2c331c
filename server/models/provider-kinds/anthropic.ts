import { isJsonObject, parseJson, type Json, type JsonObject } from "#contract/json.ts";
import { argumentsText } from "../providers/chat-completions/loose-chunk.ts";
import { withCounts } from "../providers/requests/finish-event.ts";
import type { LooseEvent } from "../providers/requests/provider-api.ts";
import { isErrorEvent } from "../providers/requests/refused-event.ts";
import type { ProviderKind } from "./kind.ts";

/** Models before Claude 4.6, which continue an assistant message at the end of a conversation. Newer ones refuse it. */
const olderModels = /^claude-(?:[123]|instant|(?:opus|sonnet|haiku)-4-(?:[015]|20\d{6})(?:-|$))/;

/** Anthropic's Messages API. */
export const anthropic: ProviderKind = {
  api: {
    options: { name: "anthropic" },
    callIds: "anthropic",
    prefillOptions: (id) => (olderModels.test(id) ? {} : undefined),
    readLoosely: readLooseEvent,
    createEventFilter,
    isLastEvent: (data) => /"type":\s*"message_stop"/.test(data),
    cacheMark: { cacheControl: { type: "ephemeral" } },
    async createModel({ baseUrl, apiKey = "" }, modelId, { fetch }) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL: baseUrl, apiKey, fetch })(modelId);
    },
  },
  usualInputs: ["image", "pdf"],
  hasEfforts: (id) => id.startsWith("claude-") && !/^claude-(?:[12]|instant|3-(?!7))/.test(id),
  listRequest: ({ baseUrl, apiKey = "" }) => ({
    url: `${baseUrl}/models?limit=1000`,
    headers: { "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
  }),
};

/**
 * Drops what the SDK fails at: an event that it does not know or cannot read at the beginning, and the result of an MCP call
 * that the same answer does not have, which belongs to a turn that began earlier. Arguments of tools become text.
 */
function createEventFilter(): (data: string) => string | undefined {
  const mcpCallIds = new Set<unknown>();
  let isStarted = false;
  return (data) => {
    if (isStarted && !/"mcp_tool_|"partial_json":\s*[^"\s]/.test(data)) return data;
    const event = parseJson(data);
    if (!isJsonObject(event)) return isStarted ? data : undefined;
    const { type, message, delta, content_block: block } = event;
    isStarted ||=
      isErrorEvent(event) || (typeof type === "string" && /^(?:message|content_block)_/.test(type));
    if (!isStarted || (type === "message_start" && !isReadableStart(message))) return undefined;
    if (isJsonObject(delta) && delta.partial_json !== undefined)
      return JSON.stringify({
        ...event,
        delta: { ...delta, partial_json: argumentsText(delta.partial_json) },
      });
    if (!isJsonObject(block)) return data;
    if (block.type === "mcp_tool_use") mcpCallIds.add(block.id);
    return block.type === "mcp_tool_result" && !mcpCallIds.has(block.tool_use_id) ? undefined : data;
  };
}

/** Some servers do not count tokens before the answer. The SDK needs nothing else of this event. */
function isReadableStart(message: Json | undefined): boolean {
  const { id = null, usage } = isJsonObject(message) ? message : {};
  return (
    (id === null || typeof id === "string") && isJsonObject(usage) && typeof usage.input_tokens === "number"
  );
}

/** What an event has of the answer, whatever else is in it. */
function readLooseEvent({ type, delta, message, usage }: JsonObject): LooseEvent {
  if (type === "message_stop") return { finishReason: "end_turn" };
  const { text, thinking, stop_reason: reason } = isJsonObject(delta) ? delta : {};
  const counts = type === "message_start" && isJsonObject(message) ? message.usage : usage;
  return {
    ...(type === "content_block_delta" && typeof text === "string" ? { text } : {}),
    ...(type === "content_block_delta" && typeof thinking === "string" ? { reasoning: thinking } : {}),
    ...(typeof reason === "string" ? { finishReason: reason } : {}),
    ...(isJsonObject(counts)
      ? { usage: withCounts({ input: counts.input_tokens, output: counts.output_tokens }) }
      : {}),
  };
}
