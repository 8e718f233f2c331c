import { readLooseChunk, withTextArguments } from "../providers/chat-completions/loose-chunk.ts";
import { openAiListRequest, type ProviderKind } from "./kind.ts";

/** Mistral's own API. It has OpenAI's form, but reasoning, tool calls and their ids differ. */
export const mistral: ProviderKind = {
  api: {
    options: { name: "mistral" },
    callIds: "mistral",
    // The SDK marks an assistant's message at the end as a prefix.
    prefillOptions: () => ({}),
    isLastEvent: (data) => /"finish_reason":\s*"/.test(data),
    readLoosely: readLooseChunk,
    createEventFilter: () => (data) => withChoice(withTextArguments(data)),
    async createModel({ baseUrl, apiKey = "" }, modelId, { fetch }) {
      const { createMistral } = await import("@ai-sdk/mistral");
      return createMistral({ baseURL: baseUrl, apiKey, fetch })(modelId);
    },
    async createEmbeddingModel({ baseUrl, apiKey = "" }, modelId, fetchModel) {
      const { createMistral } = await import("@ai-sdk/mistral");
      return createMistral({ baseURL: baseUrl, apiKey, fetch: fetchModel }).embeddingModel(modelId);
    },
  },
  usualInputs: ["image"],
  listRequest: openAiListRequest,
};

/** The SDK fails at a chunk that has only token counts. */
function withChoice(data: string): string {
  return data.replace(/"choices":\s*\[\s*\]/, '"choices":[{"index":0,"delta":{}}]');
}
