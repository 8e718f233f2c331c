import { keepPreviousData } from "@tanstack/react-query";
import { usageKey } from "../query-keys.ts";
import { useResource } from "../resource.ts";

export type UsageQuery = { days: number; isEveryone: boolean };

/** The usage of the last days by model and assistant, in this browser's time zone. */
export function useUsage({ days, isEveryone }: UsageQuery) {
  const { data: report, ...loaded } = useResource(
    [...usageKey, { days, isEveryone }],
    isEveryone ? "usage.everyone" : "usage.own",
    { query: { ...lastDays(days), group_by: "both" } },
    { placeholderData: keepPreviousData },
  );
  return { ...loaded, report };
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
