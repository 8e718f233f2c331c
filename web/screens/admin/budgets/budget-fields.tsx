import { budgetLimits, isInTokens, type BudgetLimit, type BudgetLimits } from "#contract/accounts/budgets.ts";
import { limits as bounds } from "#contract/limits.ts";
import { printDollars, printNumber, t } from "#web/i18n/translate.ts";
import { numberOf } from "../../form/numbers.ts";
import { TextField } from "../../form/text-field.tsx";
import type { useForm } from "../../form/use-form.ts";
import styles from "./budgets.module.css";

/** The limits of a budget as they are typed. An empty one is no limit. */
export type BudgetTexts = Record<BudgetLimit, string>;

const labels = {
  tokens_per_day: "budgets.tokensPerDay",
  tokens_per_month: "budgets.tokensPerMonth",
  usd_per_day: "budgets.usdPerDay",
  usd_per_month: "budgets.usdPerMonth",
} as const satisfies Record<BudgetLimit, string>;

export function budgetTexts(limits: BudgetLimits | null | undefined): BudgetTexts {
  const texts = budgetLimits.map((limit) => [limit, String(limits?.[limit] ?? "")]);
  return Object.fromEntries(texts) as BudgetTexts;
}

export function budgetIn(texts: BudgetTexts): BudgetLimits {
  const amounts = budgetLimits.map((limit) => [limit, numberOf(texts[limit]) ?? null]);
  return Object.fromEntries(amounts) as BudgetLimits;
}

export function mistakesInBudget(texts: BudgetTexts): Partial<Record<BudgetLimit, string>> {
  const wrong = budgetLimits.filter((limit) => !isAmount(limit, numberOf(texts[limit])));
  return Object.fromEntries(
    wrong.map((limit) => [
      limit,
      isInTokens(limit)
        ? t("budgets.wrongTokens", { max: printNumber(bounds.budgetTokensMax) })
        : t("budgets.wrongUsd", { max: printDollars(bounds.budgetUsdMax) }),
    ]),
  );
}

/** The fields of a budget in a form. */
export function BudgetFields({ form }: { form: Pick<ReturnType<typeof useForm<BudgetTexts>>, "field"> }) {
  return (
    <div className={styles["fields"]}>
      {budgetLimits.map((limit) => (
        <TextField
          key={limit}
          label={t(labels[limit])}
          inputMode="decimal"
          isCode
          placeholder={t("budgets.noLimit")}
          {...form.field(limit)}
        />
      ))}
    </div>
  );
}

function isAmount(limit: BudgetLimit, amount: number | undefined): boolean {
  if (amount === undefined) return true;
  return isInTokens(limit)
    ? Number.isInteger(amount) && amount >= 1 && amount <= bounds.budgetTokensMax
    : amount >= 0.01 && amount <= bounds.budgetUsdMax;
}
