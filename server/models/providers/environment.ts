import type { ProviderKindId } from "#contract/provider-kinds.ts";
import { createConnectedProvider } from "./connected-provider.ts";
import type { Provider, ProviderDeps, ProviderSettings } from "./provider.ts";

/** The id of the provider that environment variables configure. */
export const environmentId = "env";

/** Lists change rarely: one is fresh for a minute. */
const list = { freshMs: 60_000, timeoutMs: 2_000 };
/** Ollama runs on this machine and answers fast, or it does not run. */
const ollamaList = { freshMs: 10_000, timeoutMs: 500 };

/** What environment variables configure. */
export type EnvironmentProvider = { kind: ProviderKindId; name: string; baseUrl: string };

/**
 * The provider that environment variables configure: the server at `OPENAI_BASE_URL`, OpenAI if there is only a key, or
 * else an Ollama on this machine, if it is running.
 */
export function environmentProvider({
  openai,
  ollamaUrl,
}: Pick<ProviderSettings, "openai" | "ollamaUrl">): EnvironmentProvider | undefined {
  const baseUrl = baseUrlOf(openai)?.replace(/\/+$/, "");
  if (baseUrl !== undefined) {
    const name = isOpenAi(baseUrl) ? "OpenAI" : URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
    return { kind: "openai-compatible", name, baseUrl };
  }
  if (ollamaUrl === undefined) return undefined;
  return { kind: "ollama", name: "Ollama", baseUrl: ollamaUrl.replace(/\/+$/, "") };
}

export function createEnvironmentProvider(
  settings: ProviderSettings,
  { clock, logger, fetch, timeouts, localOnly, proxy }: ProviderDeps,
): Provider | undefined {
  const found = environmentProvider(settings);
  if (found === undefined) return undefined;
  const { kind, name, baseUrl } = found;
  const isOllama = kind === "ollama";
  const shared = {
    id: environmentId,
    name,
    kind,
    rules: settings.modelReads,
    localOnly,
    clock,
    fetch,
    timeouts,
  };
  const configured = nonEmpty(settings.openai.model);
  return createConnectedProvider({
    ...shared,
    connection: { baseUrl, apiKey: isOllama ? undefined : nonEmpty(settings.openai.apiKey), proxy },
    offers: { which: "listed", configured, mayBeMissing: isOllama, isUnnamedOffered: !isOllama },
    list: isOllama ? ollamaList : list,
    usualInputs: isOpenAi(baseUrl) ? ["image", "pdf"] : undefined,
    onListFailure(error) {
      // Most machines run no Ollama: a failure is not worth a log line.
      if (isOllama) return;
      logger.warn({ err: error.cause, code: error.code }, "the model provider's models could not be listed");
    },
  });
}

function isOpenAi(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname === "api.openai.com";
}

/** The URL of the configured model server, if there is one. */
function baseUrlOf({ baseUrl, apiKey }: ProviderSettings["openai"]): string | undefined {
  return nonEmpty(baseUrl) ?? (nonEmpty(apiKey) === undefined ? undefined : "https://api.openai.com/v1");
}

/** An empty environment variable counts as not set. */
function nonEmpty(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}
