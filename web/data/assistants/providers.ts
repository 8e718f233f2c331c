import type {
  ProviderCreate,
  ProviderInfo,
  ProviderSuggestion,
  ProviderTest,
  ProviderTestResult,
  ProviderUpdate,
} from "#contract/endpoints/providers.ts";
import { useServices } from "../provider.tsx";
import { modelsKey, providersKey, suggestionsKey } from "../query-keys.ts";
import { none, useChange, useResource } from "../resource.ts";

/** The connected model providers; only for administrators. */
export function useProviders(isEnabled: boolean) {
  const { data, ...list } = useResource(providersKey, "providers.list", {}, { enabled: isEnabled });
  const providers: readonly ProviderInfo[] = data?.providers ?? none;
  return { ...list, providers };
}

/** The model servers on the server's machine that are not connected; only for administrators. */
export function useProviderSuggestions(isEnabled: boolean): readonly ProviderSuggestion[] {
  const { data } = useResource(suggestionsKey, "providers.suggestions", {}, { enabled: isEnabled });
  return data?.suggestions ?? none;
}

const changedKeys = [providersKey, suggestionsKey, modelsKey];

/** What administrators do with model providers. Each throws `CallError`. */
export function useProviderActions() {
  const { call, queries } = useServices();
  const change = useChange(...changedKeys);
  const params = (id: string) => ({ params: { provider_id: id } });
  return {
    create: async (body: ProviderCreate) => (await change("providers.create", { body })).provider,
    update: async (id: string, body: ProviderUpdate) =>
      (await change("providers.update", { ...params(id), body })).provider,
    remove: async (id: string) => await change("providers.remove", params(id)),
    reorder: async (ids: string[]) => await change("providers.reorder", { body: { provider_ids: ids } }),
    removeModel: async (id: string, model: string) =>
      await change("providers.removeModel", { ...params(id), body: { model } }),
    async test(body: ProviderTest, signal: AbortSignal): Promise<ProviderTestResult> {
      return await call("providers.test", { body }, signal);
    },
    refresh: async () =>
      await Promise.all(changedKeys.map(async (queryKey) => await queries.invalidateQueries({ queryKey }))),
  };
}
