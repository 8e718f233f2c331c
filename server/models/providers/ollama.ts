import { isJsonObject } from "#contract/json.ts";
import { listedFacts, type ListedFacts } from "./chat-completions/listed-facts.ts";
import { createChatCompletionsProvider } from "./chat-completions/provider.ts";
import { baseUrlOf } from "./openai-compatible.ts";
import type { ProviderDefinition } from "./provider.ts";

/** Ollama runs on this machine and answers fast, or it does not run. */
const listTimeoutMs = 500;
const freshMs = 10_000;
const showTimeoutMs = 1_000;

/** An Ollama on this machine, if it is running. Used only if no other model server is configured. */
export const ollama: ProviderDefinition = {
  id: "ollama",
  createProvider({ ollamaUrl, openai, modelReads }, { clock, fetch, timeouts }) {
    if (ollamaUrl === undefined || baseUrlOf(openai) !== undefined) return undefined;
    const serverUrl = ollamaUrl.replace(/\/+$/, "");
    return createChatCompletionsProvider({
      id: "ollama",
      baseUrl: `${serverUrl}/v1`,
      configuredModel: openai.model?.trim() || undefined,
      isOptional: true,
      list: { freshMs, timeoutMs: listTimeoutMs },
      rules: modelReads,
      usualInputs: ["image"],
      loadFacts: async (id) => await showModel(serverUrl, id, fetch),
      // Most machines run no Ollama: a failure is not worth a log line.
      onListFailure() {},
      clock,
      fetch,
      timeouts,
    });
  },
};

/**
 * Reads `/api/show`: what Ollama reports about one of its models; `undefined` if the request fails. The context length
 * counts only if it is configured: Ollama runs models with less context than they support.
 */
export async function showModel(
  serverUrl: string,
  id: string,
  fetchModel: typeof fetch,
): Promise<ListedFacts | undefined> {
  try {
    const response = await fetchModel(`${serverUrl}/api/show`, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: id }),
      signal: AbortSignal.timeout(showTimeoutMs),
    });
    const model: unknown = response.ok ? await response.json() : undefined;
    if (!isJsonObject(model) || !Array.isArray(model.capabilities)) return undefined;
    const contextLength =
      typeof model.parameters === "string" ? /^num_ctx\s+(\d+)$/m.exec(model.parameters)?.[1] : undefined;
    return {
      ...listedFacts({ capabilities: model.capabilities }),
      ...(contextLength === undefined ? {} : { contextTokens: Number(contextLength) }),
    };
  } catch {
    // If Ollama is gone, the request for an answer reports it.
    return undefined;
  }
}
