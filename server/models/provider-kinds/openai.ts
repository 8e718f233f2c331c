import { isJsonObject, parseJson, type JsonObject } from "#contract/json.ts";
import { argumentsText } from "../providers/chat-completions/loose-chunk.ts";
import { withCounts } from "../providers/requests/finish-event.ts";
import type { LooseEvent, ProviderApi } from "../providers/requests/provider-api.ts";
import { openAiListRequest, type ProviderKind } from "./kind.ts";

/** OpenAI's Responses API. */
export const responses: ProviderApi = {
  async createModel({ baseUrl, apiKey = "" }, modelId, { fetch }) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return createOpenAI({ baseURL: baseUrl, apiKey, fetch }).responses(modelId);
  },
  async createEmbeddingModel({ baseUrl, apiKey = "" }, modelId, fetchModel) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return createOpenAI({ baseURL: baseUrl, apiKey, fetch: fetchModel }).embeddingModel(modelId);
  },
  isLastEvent: (data) => /"type":\s*"response\.(?:completed|incomplete)"/.test(data),
  readLoosely: readLooseEvent,
  createEventFilter: () => withTextArguments,
  // The conversation is stored here, and not with the provider as well.
  options: { name: "openai", always: { store: false } },
  callIds: "responses",
};

/** What an event of the Responses API has of the answer, whatever else is in it. */
function readLooseEvent({ type, delta, annotation, response }: JsonObject): LooseEvent {
  const text = typeof delta === "string" ? delta : "";
  if (type === "response.output_text.delta" || type === "response.refusal.delta") return { text };
  if (type === "response.reasoning_summary_text.delta") return { reasoning: text };
  if (type === "response.output_text.annotation.added" && isJsonObject(annotation))
    return { source: { url: annotation.url, title: annotation.title } };
  if ((type !== "response.completed" && type !== "response.incomplete") || !isJsonObject(response)) return {};
  const { incomplete_details: details, usage } = response;
  const reason = isJsonObject(details) ? details.reason : undefined;
  return {
    finishReason: typeof reason === "string" ? reason : type === "response.completed" ? "stop" : "length",
    ...(isJsonObject(usage)
      ? { usage: withCounts({ input: usage.input_tokens, output: usage.output_tokens }) }
      : {}),
  };
}

/** The event with the arguments of a call as text. Some servers send them as JSON. */
function withTextArguments(data: string): string {
  if (!/"arguments":\s*[^"\s]/.test(data)) return data;
  const event = parseJson(data);
  if (!isJsonObject(event)) return data;
  const { item } = event;
  return JSON.stringify({
    ...event,
    ...(event.arguments === undefined ? {} : { arguments: argumentsText(event.arguments) }),
    ...(isJsonObject(item) ? { item: { ...item, arguments: argumentsText(item.arguments) } } : {}),
  });
}

export function isOpenAiReasoningModel(id: string): boolean {
  return /^(?:o[1-9]|gpt-[5-9])/.test(id) && !/chat/.test(id);
}

export const openAi: ProviderKind = {
  api: responses,
  usualInputs: ["image", "pdf"],
  hasEfforts: isOpenAiReasoningModel,
  listRequest: openAiListRequest,
};
