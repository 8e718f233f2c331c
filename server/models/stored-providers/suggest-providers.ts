import type { ProviderSuggestion } from "#contract/endpoints/providers.ts";
import { kinds } from "../provider-kinds/kinds.ts";
import { requestModels } from "../providers/lists/model-list.ts";

type LocalServer = Omit<ProviderSuggestion, "models">;

/** The usual addresses of model servers on this machine. They are loopback addresses: no request leaves the machine. */
const usualServers: readonly LocalServer[] = [
  { kind: "ollama", name: "Ollama", base_url: "http://127.0.0.1:11434" },
  { kind: "openai-compatible", name: "LM Studio", base_url: "http://127.0.0.1:1234/v1" },
];

const timeoutMs = 500;

/** The model servers on this machine that have models and are not connected yet. */
export async function suggestProviders(
  connectedUrls: readonly string[],
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
  servers = usualServers,
): Promise<ProviderSuggestion[]> {
  const connected = new Set(connectedUrls.map((url) => url.replace("//localhost:", "//127.0.0.1:")));
  const candidates = servers.filter((server) => !connected.has(server.base_url));
  const found = await Promise.all(
    candidates.map(async (candidate) => {
      const kind = kinds[candidate.kind];
      const baseUrl = kind.apiUrl?.(candidate.base_url) ?? candidate.base_url;
      const request = kind.listRequest({ baseUrl, apiKey: undefined });
      const listed = await requestModels({ request, apiKey: undefined, fetch, timeoutMs }, signal).catch(
        () => [],
      );
      return { ...candidate, models: listed.length };
    }),
  );
  return found.filter(({ models }) => models > 0);
}
