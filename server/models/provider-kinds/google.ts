import { isJsonObject, parseJson, type Json, type JsonObject } from "#contract/json.ts";
import { withCounts } from "../providers/requests/finish-event.ts";
import type { LooseEvent } from "../providers/requests/provider-api.ts";
import type { ProviderKind } from "./kind.ts";

/** Google's Gemini API. */
export const google: ProviderKind = {
  api: {
    options: { name: "google" },
    callIds: "any",
    readLoosely: readLooseEvent,
    createEventFilter: () => withoutTokenDetails,
    isLastEvent: (data) => /"finishReason":\s*"/.test(data),
    async createModel({ baseUrl, apiKey = "" }, modelId, { fetch }) {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle({ baseURL: baseUrl, apiKey, fetch })(modelId);
    },
    async createEmbeddingModel({ baseUrl, apiKey = "" }, modelId, fetchModel) {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle({ baseURL: baseUrl, apiKey, fetch: fetchModel }).embeddingModel(modelId);
    },
  },
  usualInputs: ["image", "pdf", "audio"],
  hasEfforts: (id) => /^gemini-(?:2\.5|[3-9])/.test(id) && !/image|tts|live/.test(id),
  listRequest: ({ baseUrl, apiKey = "" }) => ({
    url: `${baseUrl}/models?pageSize=1000`,
    headers: { "x-goog-api-key": apiKey },
  }),
  toOpenAiList(response) {
    if (!isJsonObject(response) || !Array.isArray(response.models)) return response;
    const data = response.models.flatMap((model) => {
      if (!isJsonObject(model) || typeof model.name !== "string") return [];
      const methods = model.supportedGenerationMethods;
      if (Array.isArray(methods) && !methods.includes("generateContent")) return [];
      return [
        {
          id: model.name.replace(/^models\//, ""),
          ...(model.displayName === undefined ? {} : { display_name: model.displayName }),
          ...(model.inputTokenLimit === undefined ? {} : { context_length: model.inputTokenLimit }),
          ...(model.outputTokenLimit === undefined ? {} : { max_output_tokens: model.outputTokenLimit }),
        },
      ];
    });
    return { data };
  },
};

/** Every event repeats the details of the token counts, and the SDK refuses those without a count. Nothing uses them. */
function withoutTokenDetails(data: string): string {
  if (!data.includes('TokensDetails"')) return data;
  const event = parseJson(data);
  if (!isJsonObject(event) || !isJsonObject(event.usageMetadata)) return data;
  const counts = Object.entries(event.usageMetadata).filter(([name]) => !name.endsWith("TokensDetails"));
  return JSON.stringify({ ...event, usageMetadata: Object.fromEntries(counts) });
}

/** What an event has of the answer, whatever else is in it. */
function readLooseEvent({ candidates, usageMetadata }: JsonObject): LooseEvent {
  const [candidate] = objectsIn(candidates);
  const parts = objectsIn(isJsonObject(candidate?.content) ? candidate.content.parts : undefined);
  const textOf = (isThought: boolean) =>
    parts
      .filter(({ thought }) => (thought === true) === isThought)
      .map(({ text }) => (typeof text === "string" ? text : ""))
      .join("");
  const reason = candidate?.finishReason;
  return {
    text: textOf(false),
    reasoning: textOf(true),
    ...(typeof reason === "string" ? { finishReason: reason } : {}),
    ...(isJsonObject(usageMetadata)
      ? {
          usage: withCounts({
            input: usageMetadata.promptTokenCount,
            output: usageMetadata.candidatesTokenCount,
            reasoning: usageMetadata.thoughtsTokenCount,
            cached: usageMetadata.cachedContentTokenCount,
          }),
        }
      : {}),
  };
}

function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
