import { useQuery, useQueryClient } from "@tanstack/react-query";
import type {
  ProviderCreate,
  ProviderInfo,
  ProviderSuggestion,
  ProviderTest,
  ProviderTestResult,
  ProviderUpdate,
} from "#contract/endpoints/providers.ts";
import { loadedOf, type Loaded } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { modelsKey, providersKey, suggestionsKey } from "../query-keys.ts";

/** The connected model providers; only for administrators. */
export function useProviders(isEnabled: boolean): Loaded & { providers: readonly ProviderInfo[] } {
  const { call } = useServices();
  const query = useQuery({
    queryKey: providersKey,
    queryFn: async ({ signal }) => (await call("providers.list", {}, signal)).providers,
    enabled: isEnabled,
    staleTime: 0,
  });
  return { ...loadedOf(query), providers: query.data ?? none };
}

const none: readonly ProviderInfo[] = [];

/** The model servers on the server's machine that are not connected; only for administrators. */
export function useProviderSuggestions(isEnabled: boolean): readonly ProviderSuggestion[] {
  const { call } = useServices();
  const { data } = useQuery({
    queryKey: suggestionsKey,
    queryFn: async ({ signal }) => (await call("providers.suggestions", {}, signal)).suggestions,
    enabled: isEnabled,
    staleTime: 0,
  });
  return data ?? [];
}

/** What administrators do with model providers. Each throws `CallError`. */
export function useProviderActions() {
  const { call } = useServices();
  const queries = useQueryClient();
  const refresh = async () =>
    await Promise.all(
      [providersKey, suggestionsKey, modelsKey].map((queryKey) => queries.invalidateQueries({ queryKey })),
    );

  return {
    async create(body: ProviderCreate): Promise<ProviderInfo> {
      const { provider } = await call("providers.create", { body });
      await refresh();
      return provider;
    },
    async update(id: string, body: ProviderUpdate): Promise<ProviderInfo> {
      const { provider } = await call("providers.update", { params: { provider_id: id }, body });
      await refresh();
      return provider;
    },
    async remove(id: string): Promise<void> {
      await call("providers.remove", { params: { provider_id: id } });
      await refresh();
    },
    async reorder(ids: string[]): Promise<void> {
      await call("providers.reorder", { body: { provider_ids: ids } });
      await refresh();
    },
    async removeModel(id: string, model: string): Promise<void> {
      await call("providers.removeModel", { params: { provider_id: id }, body: { model } });
      await refresh();
    },
    async test(body: ProviderTest, signal: AbortSignal): Promise<ProviderTestResult> {
      return await call("providers.test", { body }, signal);
    },
    refresh,
  };
}
