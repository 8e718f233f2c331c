import { useQuery } from "@tanstack/react-query";
import type { ModelSettings, StoredModelSettings } from "#contract/endpoints/models.ts";
import { loadedOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { modelsKey, modelSettingsKey } from "../query-keys.ts";

/** The settings for all models; only for administrators. */
export function useModelSettings(isEnabled: boolean) {
  const { call, queries } = useServices();
  const query = useQuery({
    queryKey: modelSettingsKey,
    queryFn: async ({ signal }) => await call("modelSettings.get", {}, signal),
    enabled: isEnabled,
    staleTime: 0,
  });
  return {
    ...loadedOf(query),
    stored: query.data,
    /** Shows the change at once, and takes it back if it fails. Throws `CallError`. */
    async change(change: Partial<ModelSettings>): Promise<void> {
      const stored = queries.getQueryData<StoredModelSettings>(modelSettingsKey);
      if (stored === undefined) return;
      const settings = { ...stored.settings, ...change };
      queries.setQueryData<StoredModelSettings>(modelSettingsKey, { ...stored, settings });
      // A read in flight does not contain this change yet.
      await queries.cancelQueries({ queryKey: modelSettingsKey }, { revert: false });
      try {
        await call("modelSettings.put", { body: change });
      } finally {
        await Promise.all(
          [modelSettingsKey, modelsKey].map((queryKey) => queries.invalidateQueries({ queryKey })),
        );
      }
    },
  };
}
