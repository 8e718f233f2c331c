import type { ModelInfo } from "#contract/endpoints/models.ts";
import { idAtProvider } from "#contract/ids.ts";
import type { LoadState } from "../load-state.ts";
import { modelsKey } from "../query-keys.ts";
import { useResource } from "../resource.ts";

/** 5 minutes: operators rarely connect another model, and the feed does not report it. */
const staleTime = 5 * 60_000;

export function useModels(): {
  models: ModelInfo[];
  defaultModel?: string;
  /** Whether requests to models outside of the server's own network are refused. */
  isLocalOnly: boolean;
  /** Whether the server suggests follow-up questions. */
  suggestions: boolean;
  state: LoadState;
} {
  const { data, state } = useResource(modelsKey, "models.list", {}, { staleTime });
  if (data === undefined) return { models: [], isLocalOnly: false, suggestions: false, state };
  const { models, default_model: defaultModel, local_only: isLocalOnly, suggestions } = data;
  return { models, defaultModel, isLocalOnly, suggestions, state };
}

/** The current name of a model, or its id at the provider if it is no longer there. */
export function modelName(model: string | null, models: readonly ModelInfo[]): string | undefined {
  return models.find(({ id }) => id === model)?.name ?? (model === null ? undefined : idAtProvider(model));
}
