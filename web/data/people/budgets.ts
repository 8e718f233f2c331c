import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { Budget, CommonBudgetRow } from "#contract/endpoints/budgets.ts";
import { loadedPagesOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { budgetKey } from "../query-keys.ts";
import { peopleKey } from "./people.ts";

const none: readonly CommonBudgetRow[] = [];

/** The common budgets, and those of groups and people whose name contains `search`. Changes throw `CallError`. */
export function useBudgets(search: string) {
  const { call, queries } = useServices();
  const query = useInfiniteQuery({
    queryKey: [...peopleKey, "budgets", search],
    queryFn: async ({ signal, pageParam }) =>
      await call(
        "budgets.list",
        {
          query: {
            ...(search === "" ? {} : { search }),
            ...(pageParam === null ? {} : { after: pageParam }),
          },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const afterwards = async (action: Promise<unknown>): Promise<void> => {
    await action;
    await Promise.all([
      queries.invalidateQueries({ queryKey: [...peopleKey, "budgets"] }),
      queries.invalidateQueries({ queryKey: budgetKey }),
    ]);
  };
  const params = (id: string) => ({ params: { budget_id: id } });
  return {
    ...loadedPagesOf(query),
    common: query.data?.pages[0]?.common ?? none,
    budgets: query.data?.pages.flatMap(({ budgets }): Budget[] => budgets) ?? [],
    put: async (id: string, body: BodyInputOf<"budgets.put">) =>
      await afterwards(call("budgets.put", { ...params(id), body })),
    remove: async (id: string) => await afterwards(call("budgets.remove", params(id))),
  };
}
