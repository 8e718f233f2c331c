import { useQuery } from "@tanstack/react-query";
import type { ModelInfo } from "#contract/endpoints/models.ts";
import { useServices } from "../provider.tsx";

/** 5 minutes: operators rarely connect another model, and the feed does not report it. */
const freshMs = 5 * 60_000;

export function useModels(): {
  models: ModelInfo[];
  defaultModel?: string;
  state: "loading" | "ready" | "failed";
} {
  const { call } = useServices();
  const { data, status } = useQuery({
    queryKey: ["models"],
    queryFn: async ({ signal }) => await call("models.list", {}, signal),
    staleTime: freshMs,
  });
  if (data === undefined) return { models: [], state: status === "error" ? "failed" : "loading" };
  return { models: data.models, defaultModel: data.default_model, state: "ready" };
}
