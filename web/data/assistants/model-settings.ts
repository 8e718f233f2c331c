import type { ModelSettings, StoredModelSettings } from "#contract/endpoints/models.ts";
import { useServices } from "../provider.tsx";
import { modelsKey, modelSettingsKey } from "../query-keys.ts";
import { useResource } from "../resource.ts";

/** The settings for all models; only for administrators. */
export function useModelSettings(isEnabled: boolean) {
  const { queries } = useServices();
  const { data, change, ...loaded } = useResource(
    modelSettingsKey,
    "modelSettings.get",
    {},
    { enabled: isEnabled, others: [modelsKey] },
  );
  return {
    ...loaded,
    stored: data,
    /** Shows the change at once, and takes it back if it fails. Throws `CallError`. */
    async change(next: Partial<ModelSettings>): Promise<void> {
      const stored = queries.getQueryData<StoredModelSettings>(modelSettingsKey);
      if (stored === undefined) return;
      const settings = { ...stored.settings, ...next };
      queries.setQueryData<StoredModelSettings>(modelSettingsKey, { ...stored, settings });
      // A read in flight does not contain this change yet.
      await queries.cancelQueries({ queryKey: modelSettingsKey }, { revert: false });
      await change("modelSettings.put", { body: next });
    },
  };
}
