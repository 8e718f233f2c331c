import { createChatCompletionsProvider } from "./chat-completions/provider.ts";
import type { ProviderDefinition, ProviderSettings } from "./provider.ts";

/** Lists change rarely: one is fresh for a minute. */
const freshMs = 60_000;
const listTimeoutMs = 2_000;

/** OpenAI, or any server with its chat completions API: the one at `OPENAI_BASE_URL`. A key alone means OpenAI. */
export const openAiCompatible: ProviderDefinition = {
  id: "openai-compatible",
  createProvider({ openai, modelReads }, { clock, logger, fetch, timeouts }) {
    const baseUrl = baseUrlOf(openai);
    if (baseUrl === undefined) return undefined;
    const isOpenAi = URL.canParse(baseUrl) && new URL(baseUrl).hostname === "api.openai.com";
    return createChatCompletionsProvider({
      id: isOpenAi ? "openai" : "openai-compatible",
      baseUrl: baseUrl.replace(/\/+$/, ""),
      apiKey: nonEmpty(openai.apiKey),
      configuredModel: nonEmpty(openai.model),
      isOptional: false,
      list: { freshMs, timeoutMs: listTimeoutMs },
      rules: modelReads,
      usualInputs: isOpenAi ? ["image", "pdf"] : ["image"],
      onListFailure: (error) =>
        logger.warn(
          { err: error.cause, code: error.code },
          "the model provider's models could not be listed",
        ),
      clock,
      fetch,
      timeouts,
    });
  },
};

/** The URL of the configured model server, if there is one. */
export function baseUrlOf({ baseUrl, apiKey }: ProviderSettings["openai"]): string | undefined {
  return nonEmpty(baseUrl) ?? (nonEmpty(apiKey) === undefined ? undefined : "https://api.openai.com/v1");
}

/** An empty environment variable counts as not set. */
function nonEmpty(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}
