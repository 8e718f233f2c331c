import { isJsonObject, parseJson, type JsonObject } from "#contract/json.ts";
import { withCounts } from "../providers/requests/finish.ts";
import type { LooseEvent } from "../providers/requests/provider-api.ts";
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
    createEventFilter: withoutOrphanResults,
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

/** The SDK fails at the result of an MCP call that the same answer does not have: it belongs to a turn that began earlier. */
function withoutOrphanResults(): (data: string) => string | undefined {
  const callIds = new Set<unknown>();
  return (data) => {
    if (!data.includes('"mcp_tool_')) return data;
    const event = parseJson(data);
    const block = isJsonObject(event) ? event.content_block : undefined;
    if (!isJsonObject(block)) return data;
    if (block.type === "mcp_tool_use") callIds.add(block.id);
    return block.type === "mcp_tool_result" && !callIds.has(block.tool_use_id) ? undefined : data;
  };
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
