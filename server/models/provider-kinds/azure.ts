import { isOpenAiReasoningModel, responses } from "./openai.ts";
import { openAiListRequest, type ProviderKind } from "./kind.ts";

/** Azure OpenAI: the same API at the resource's own URL, with the key in another header. Models are deployments. */
export const azure: ProviderKind = {
  api: {
    ...responses,
    async createModel({ baseUrl, apiKey = "" }, modelId, { fetch }) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const headers = { "api-key": apiKey };
      return createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch }).responses(modelId);
    },
    async createEmbeddingModel({ baseUrl, apiKey = "" }, modelId, fetchModel) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const headers = { "api-key": apiKey };
      return createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch: fetchModel }).embeddingModel(modelId);
    },
  },
  usualInputs: ["image", "pdf"],
  hasEfforts: isOpenAiReasoningModel,
  listRequest: (connection) => ({
    ...openAiListRequest(connection),
    headers: { "api-key": connection.apiKey ?? "" },
  }),
};
