import { createExtractor } from "../requests/extras.ts";
import type { ProviderApi } from "../requests/provider-api.ts";
import { readLooseChunk, withoutNullError, withTextArguments } from "./loose-chunk.ts";
import { readTextChunk } from "./text-chunk.ts";

const optionsName = "provider";

/** OpenAI's chat completions API, which Ollama, llama.cpp, vLLM and many others have too. */
export const chatCompletions: ProviderApi = {
  options: { name: optionsName },
  callIds: "chat-completions",
  async createModel({ baseUrl, apiKey }, modelId, { fetch, currentExtras, includeUsage, useNewLengthName }) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    return createOpenAICompatible({
      name: optionsName,
      baseURL: baseUrl,
      ...(apiKey === undefined ? {} : { apiKey }),
      includeUsage,
      ...(useNewLengthName ? { transformRequestBody: withNewLengthName } : {}),
      metadataExtractor: createExtractor(currentExtras),
      fetch,
    }).chatModel(modelId);
  },
  async createEmbeddingModel({ baseUrl, apiKey }, modelId, fetchModel) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    return createOpenAICompatible({
      name: optionsName,
      baseURL: baseUrl,
      ...(apiKey === undefined ? {} : { apiKey }),
      fetch: fetchModel,
    }).embeddingModel(modelId);
  },
  prefillOptions(_, { prefill }) {
    if (prefill === undefined) return undefined;
    return prefill === "parameter" ? { continue_final_message: true, add_generation_prompt: false } : {};
  },
  readText: readTextChunk,
  readLoosely: readLooseChunk,
  createEventFilter: () => (data) => withTextArguments(withoutNullError(data)),
  isLenient: true,
};

/** Renames `max_tokens` in the body of a request to `max_completion_tokens`. */
function withNewLengthName({
  max_tokens: length,
  ...body
}: Record<string, unknown>): Record<string, unknown> {
  return length === undefined ? body : { ...body, max_completion_tokens: length };
}
