import { useEffect, useRef } from "react";
import type { BudgetLeft } from "#contract/endpoints/budgets.ts";
import { useServices } from "../provider.tsx";
import { budgetKey } from "../query-keys.ts";
import { none, useResource } from "../resource.ts";

/** Most people have no budget, so that is not asked often. */
const noneKeptMs = 10 * 60_000;

/** The limits that apply to the person, the most used one first; empty until they are known. */
export function useOwnBudget(): readonly BudgetLeft[] {
  const { data } = useResource(
    budgetKey,
    "budgets.own",
    {},
    {
      staleTime: ({ state }) => (state.data?.budgets.length === 0 ? noneKeptMs : 0),
      refetchOnWindowFocus: true,
    },
  );
  return data?.budgets ?? none;
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
