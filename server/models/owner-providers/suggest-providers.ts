import type { ProviderSuggestion } from "#contract/endpoints/providers.ts";
import { kinds } from "../kinds/kinds.ts";
import { requestModels } from "../providers/lists/model-list.ts";

/** The usual addresses of model servers on this machine. They are loopback addresses: no request leaves the machine. */
const usualPlaces = [
  { kind: "ollama", name: "Ollama", base_url: "http://127.0.0.1:11434" },
  { kind: "openai-compatible", name: "LM Studio", base_url: "http://127.0.0.1:1234/v1" },
] as const;

const timeoutMs = 500;

/** The model servers on this machine that have models and are not connected yet. */
export async function suggestProviders(
  connectedUrls: readonly string[],
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<ProviderSuggestion[]> {
  const connected = new Set(connectedUrls.map((url) => url.replace("//localhost:", "//127.0.0.1:")));
  const places = usualPlaces.filter((place) => !connected.has(place.base_url));
  const found = await Promise.all(
    places.map(async (place) => {
      const kind = kinds[place.kind];
      const baseUrl = kind.apiUrl?.(place.base_url) ?? place.base_url;
      const request = kind.listRequest({ baseUrl, apiKey: undefined });
      const listed = await requestModels({ request, apiKey: undefined, fetch, timeoutMs }, signal).catch(
        () => [],
      );
      return { ...place, models: listed.length };
    }),
  );
  return found.filter(({ models }) => models > 0);
}
