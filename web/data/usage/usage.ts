import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { UsageReport } from "#contract/endpoints/usage.ts";
import { loadedOf, type Loaded } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { usageKey } from "../query-keys.ts";

export type UsageQuery = { days: number; isEveryone: boolean };

/** The usage of the last days by model and assistant, in this browser's time zone. */
export function useUsage({ days, isEveryone }: UsageQuery): Loaded & { report: UsageReport | undefined } {
  const { call } = useServices();
  const query = useQuery({
    queryKey: [...usageKey, { days, isEveryone }],
    queryFn: async ({ signal }) => {
      const asked = { query: { ...lastDays(days), group_by: "both" as const } };
      return await (isEveryone ? call("usage.everyone", asked, signal) : call("usage.own", asked, signal));
    },
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  return { ...loadedOf(query), report: query.data };
}

function lastDays(days: number): { from: string; to: string; time_zone: string } {
  const now = new Date();
  const day = (ago: number) => {
    const date = new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() - ago));
    return date.toISOString().slice(0, 10);
  };
  return {
    from: day(days - 1),
    to: day(0),
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
