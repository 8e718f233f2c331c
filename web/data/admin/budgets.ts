import type { BodyInputOf } from "#contract/api.ts";
import type { Budget, CommonBudgetRow } from "#contract/endpoints/budgets.ts";
import { budgetKey } from "../query-keys.ts";
import { none, searchFor, useChange, usePages } from "../resource.ts";

/** The common budgets, and those of groups and people whose name contains `search`. Changes throw `CallError`. */
export function useBudgets(search: string) {
  const key = ["budgets"];
  const change = useChange(key, budgetKey);
  const { pages, ...list } = usePages([...key, search], "budgets.list", (after) => ({
    query: { ...searchFor(search), ...after },
  }));
  const common: readonly CommonBudgetRow[] = pages[0]?.common ?? none;
  return {
    ...list,
    common,
    budgets: pages.flatMap(({ budgets }): Budget[] => budgets),
    put: async (id: string, body: BodyInputOf<"budgets.put">) =>
      await change("budgets.put", { params: { budget_id: id }, body }),
    remove: async (id: string) => await change("budgets.remove", { params: { budget_id: id } }),
  };
}
