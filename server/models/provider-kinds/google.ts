import { isJsonObject } from "#contract/json.ts";
import type { ProviderKind } from "./kind.ts";

/** Google's Gemini API. */
export const google: ProviderKind = {
  api: {
    options: { name: "google" },
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
