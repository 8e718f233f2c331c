import type { ProviderApi } from "../providers/requests/provider-api.ts";
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
  // The conversation is stored here, and not with the provider as well.
  options: { name: "openai", always: { store: false } },
};

export function isOpenAiReasoningModel(id: string): boolean {
  return /^(?:o[1-9]|gpt-[5-9])/.test(id) && !/chat/.test(id);
}

export const openAi: ProviderKind = {
  api: responses,
  usualInputs: ["image", "pdf"],
  hasEfforts: isOpenAiReasoningModel,
  listRequest: openAiListRequest,
};
