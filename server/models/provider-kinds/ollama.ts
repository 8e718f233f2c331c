import { isJsonObject } from "#contract/json.ts";
import { chatCompletions } from "../providers/chat-completions/chat-completions.ts";
import { listedFacts, type ListedFacts } from "../providers/lists/listed-facts.ts";
import { readBoundedText } from "../providers/lists/bounded-body.ts";
import type { ProviderConnection } from "../providers/requests/provider-api.ts";
import { openAiListRequest, type ProviderKind } from "./kind.ts";

const showTimeoutMs = 1_000;

/** An Ollama server. Its base URL has no version. */
export const ollama: ProviderKind = {
  api: chatCompletions,
  usualInputs: ["image"],
  hasEfforts: (id) => /^(?:gpt-oss|qwen3|deepseek-r1|magistral)/.test(id),
  isRelayed: (id) => /[:-]cloud$/.test(id),
  apiUrl: (baseUrl) => `${baseUrl}/v1`,
  listRequest: openAiListRequest,
  loadFacts: async ({ baseUrl, apiKey }, modelId, fetchModel) =>
    await showModel({ baseUrl: baseUrl.replace(/\/v1$/, ""), apiKey }, modelId, fetchModel),
};

/**
 * Reads `/api/show`: what Ollama reports about one of its models; `undefined` if the request fails. The context length
 * counts only if it is configured: Ollama runs models with less context than they support.
 */
export async function showModel(
  { baseUrl, apiKey }: ProviderConnection,
  id: string,
  fetchModel: typeof fetch,
): Promise<ListedFacts | undefined> {
  try {
    const response = await fetchModel(`${baseUrl}/api/show`, {
      method: "POST",
      redirect: "manual",
      headers: {
        "content-type": "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model: id }),
      signal: AbortSignal.timeout(showTimeoutMs),
    });
    const model: unknown = response.ok ? JSON.parse(await readBoundedText(response)) : undefined;
    if (!isJsonObject(model) || !Array.isArray(model.capabilities)) return undefined;
    const contextLength =
      typeof model.parameters === "string" ? /^num_ctx\s+(\d+)$/m.exec(model.parameters)?.[1] : undefined;
    return {
      ...listedFacts({ capabilities: model.capabilities }),
      ...(typeof model.remote_host === "string" && model.remote_host !== "" ? { isRelayed: true } : {}),
      ...(contextLength === undefined ? {} : { contextTokens: Number(contextLength) }),
    };
  } catch {
    // The request for an answer then reports that Ollama is unavailable.
    return undefined;
  }
}
