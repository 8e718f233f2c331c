import { budgetLimits, isInTokens, type BudgetLimit, type BudgetLimits } from "#contract/accounts/budgets.ts";
import type { BudgetUse } from "#contract/endpoints/budgets.ts";
import { printDollars, printNumber, t } from "#web/i18n/translate.ts";

const usedNames = {
  tokens_per_day: "budgets.usedTokensDay",
  tokens_per_month: "budgets.usedTokensMonth",
  usd_per_day: "budgets.usedUsdDay",
  usd_per_month: "budgets.usedUsdMonth",
} as const satisfies Record<BudgetLimit, string>;

const amountNames = {
  tokens_per_day: "budgets.tokensDay",
  tokens_per_month: "budgets.tokensMonth",
  usd_per_day: "budgets.usdDay",
  usd_per_month: "budgets.usdMonth",
} as const satisfies Record<BudgetLimit, string>;

/** What a budget limits, and what is used of it. */
export function budgetFacts(limits: BudgetLimits, used?: BudgetUse): string[] {
  const facts = budgetLimits.flatMap((limit) => {
    const amount = limits[limit];
    if (amount === null) return [];
    const print = isInTokens(limit) ? printNumber : printDollars;
    return used === undefined
      ? t(amountNames[limit], { amount: print(amount) })
      : t(usedNames[limit], { used: print(used[limit]), amount: print(amount) });
  });
  return facts.length === 0 ? [t("budgets.unlimited")] : facts;
}
