import { useQuery } from "@tanstack/react-query";
import type { ComparisonWins } from "#contract/endpoints/comparisons.ts";
import { useServices } from "../provider.tsx";

const none: ComparisonWins["models"] = [];

/** How often each model was chosen in the person's comparisons; empty until it is known. */
export function useComparisonWins(): ComparisonWins["models"] {
  const { call } = useServices();
  const { data } = useQuery({
    queryKey: ["comparison-wins"],
    queryFn: async ({ signal }) => (await call("comparisons.wins", {}, signal)).models,
    staleTime: 0,
  });
  return data ?? none;
}
