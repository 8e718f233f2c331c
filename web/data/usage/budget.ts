import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { BudgetLeft } from "#contract/endpoints/budgets.ts";
import { useServices } from "../provider.tsx";
import { budgetKey } from "../query-keys.ts";

const none: readonly BudgetLeft[] = [];
/** Most people have no budget, so that is not asked often. */
const noneKeptMs = 10 * 60_000;

/** The limits that apply to the person, the most used one first; empty until they are known. */
export function useOwnBudget(): readonly BudgetLeft[] {
  const { call } = useServices();
  const { data } = useQuery({
    queryKey: budgetKey,
    queryFn: async ({ signal }) => (await call("budgets.own", {}, signal)).budgets,
    staleTime: ({ state }) => (state.data?.length === 0 ? noneKeptMs : 0),
    refetchOnWindowFocus: true,
  });
  return data ?? none;
}

/** Reads the limits again when an answer ends, and when a message is refused because one is used up. */
export function useBudgetOfChat(isRunning: boolean, isRefused: boolean): readonly BudgetLeft[] {
  const { queries } = useServices();
  const budgets = useOwnBudget();
  const wasRunning = useRef(isRunning);
  const hasBudget = budgets.length > 0;
  useEffect(() => {
    const hasEnded = wasRunning.current && !isRunning;
    wasRunning.current = isRunning;
    if ((hasEnded && hasBudget) || isRefused) void queries.invalidateQueries({ queryKey: budgetKey });
  }, [queries, isRunning, isRefused, hasBudget]);
  return budgets;
}
