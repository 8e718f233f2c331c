import { actorOf } from "#server/audit/audit.ts";
import type { Routes } from "#server/lib/route.ts";
import type { Budgets } from "./budgets.ts";

type Names = "budgets.own" | "budgets.list" | "budgets.put" | "budgets.remove";

export function budgetRoutes(budgets: Budgets): Routes<Names> {
  return {
    "budgets.own": async ({ visitor }) => ({ budgets: await budgets.own(visitor) }),
    "budgets.list": async ({ query }) => await budgets.list(query),
    "budgets.put": async (call) => await budgets.put(call.params.budget_id, call.body, actorOf(call)),
    "budgets.remove": async (call) => {
      await budgets.remove(call.params.budget_id, actorOf(call));
      return {};
    },
  };
}
