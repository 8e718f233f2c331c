import { roles } from "./permissions.ts";

/** What a budget limits. Days and months begin at midnight UTC. */
export const budgetLimits = ["tokens_per_day", "tokens_per_month", "usd_per_day", "usd_per_month"] as const;
export type BudgetLimit = (typeof budgetLimits)[number];

/** Null is no limit. */
export type BudgetLimits = Record<BudgetLimit, number | null>;

/**
 * The budgets that are not those of one person or group. `app`: users that an app's backend or sign-in provider names.
 * `guests`: all guests share it, and it applies besides that of each.
 */
export const commonBudgets = ["everyone", ...roles, "app", "guests"] as const;
export type CommonBudget = (typeof commonBudgets)[number];

/** The share of a budget from which the page shows how much is left. */
export const budgetWarningShare = 0.8;

export function isPerDay(limit: BudgetLimit): boolean {
  return limit.endsWith("_per_day");
}

export function isInTokens(limit: BudgetLimit): boolean {
  return limit.startsWith("tokens_");
}
