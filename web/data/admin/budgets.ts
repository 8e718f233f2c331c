import type { BodyInputOf } from "#contract/api.ts";
import type { Budget, CommonBudgetRow } from "#contract/endpoints/budgets.ts";
import { usePagedList } from "../paged-list.ts";
import { useServices } from "../provider.tsx";
import { budgetKey } from "../query-keys.ts";
import { refreshAfter } from "../refresh-after.ts";

const none: readonly CommonBudgetRow[] = [];

/** The common budgets, and those of groups and people whose name contains `search`. Changes throw `CallError`. */
export function useBudgets(search: string) {
  const { call, queries } = useServices();
  const key = ["budgets"];
  const { pages, ...list } = usePagedList({
    key: [...key, search],
    read: async (after, signal) =>
      await call("budgets.list", { query: { ...(search !== "" && { search }), ...after } }, signal),
    next: (page) => page.next,
  });
  const afterwards = async <T>(change: Promise<T>) => await refreshAfter(queries, [key, budgetKey], change);
  const params = (id: string) => ({ params: { budget_id: id } });
  return {
    ...list,
    common: pages[0]?.common ?? none,
    budgets: pages.flatMap(({ budgets }): Budget[] => budgets),
    put: async (id: string, body: BodyInputOf<"budgets.put">) =>
      await afterwards(call("budgets.put", { ...params(id), body })),
    remove: async (id: string) => await afterwards(call("budgets.remove", params(id))),
  };
}
