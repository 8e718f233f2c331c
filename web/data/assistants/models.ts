import { useQuery } from "@tanstack/react-query";
import type { ModelInfo } from "#contract/endpoints/models.ts";
import { loadedOf, type LoadState } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { modelsKey } from "../query-keys.ts";

/** 5 minutes: operators rarely connect another model, and the feed does not report it. */
const freshMs = 5 * 60_000;

export function useModels(): {
  models: ModelInfo[];
  defaultModel?: string;
  state: LoadState;
} {
  const { call } = useServices();
  const query = useQuery({
    queryKey: modelsKey,
    queryFn: async ({ signal }) => await call("models.list", {}, signal),
    staleTime: freshMs,
  });
  const { state } = loadedOf(query);
  if (query.data === undefined) return { models: [], state };
  return { models: query.data.models, defaultModel: query.data.default_model, state };
}
