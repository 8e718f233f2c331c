import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { UsageGroup, UsageReport } from "#contract/endpoints/usage.ts";
import { loadedOf, type Loaded } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { usageKey } from "../query-keys.ts";

export type UsageQuery = { days: number; isEveryone: boolean };

/** The usage of the last days by model and by assistant, in this browser's time zone. */
export function useUsage(query: UsageQuery): Loaded & Record<UsageGroup, UsageReport | undefined> {
  const model = useGroupedUsage(query, "model");
  const assistant = useGroupedUsage(query, "assistant");
  const failed = model.state === "ready" ? assistant : model;
  return { ...failed, model: model.report, assistant: assistant.report };
}

function useGroupedUsage({ days, isEveryone }: UsageQuery, group: UsageGroup) {
  const { call } = useServices();
  const query = useQuery({
    queryKey: [...usageKey, { days, isEveryone, group }],
    queryFn: async ({ signal }) => {
      const asked = { query: { ...lastDays(days), group_by: group } };
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
