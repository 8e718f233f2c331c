import type { ComparisonWins } from "#contract/endpoints/comparisons.ts";
import { none, useResource } from "../resource.ts";

/** How often each model was chosen in the person's comparisons; empty until it is known. */
export function useComparisonWins(): ComparisonWins["models"] {
  return useResource(["comparison-wins"], "comparisons.wins", {}).data?.models ?? none;
}
