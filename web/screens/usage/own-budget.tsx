import { budgetWarningShare, isInTokens, isPerDay } from "#contract/accounts/budgets.ts";
import type { BudgetLeft } from "#contract/endpoints/budgets.ts";
import { useOwnBudget } from "#web/data/usage/budget.ts";
import { printDollars, printMoment, printNumber, printPercent, t } from "#web/i18n/translate.ts";
import styles from "./own-budget.module.css";

/** How much is used of each limit that applies to the person. Nothing without limits. */
export function OwnBudget() {
  const budgets = useOwnBudget();
  if (budgets.length === 0) return null;
  return (
    <section aria-labelledby="own-budget" className={styles["section"]}>
      <h2 id="own-budget" className={styles["heading"]}>
        {t("budget.title")}
      </h2>
      <ul className="grid gap-4">
        {budgets.map((budget) => (
          <Limit key={`${budget.group} ${budget.of_guests} ${budget.limit}`} budget={budget} />
        ))}
      </ul>
    </section>
  );
}

function Limit({ budget: { limit, amount, used, until, ...budget } }: { budget: BudgetLeft }) {
  const group = budget.of_guests ? t("budgets.guests") : budget.group;
  const print = isInTokens(limit) ? printNumber : printDollars;
  const share = Math.min(1, used / amount);
  const name = t(isPerDay(limit) ? "budget.today" : "budget.thisMonth");
  return (
    <li className="grid gap-1">
      <p className={styles["words"]}>
        <span className="anywhere bold">
          {name}
          {group !== null && (
            <>
              {" · "}
              <bdi>{group}</bdi>
            </>
          )}
        </span>
        <span>
          {isInTokens(limit)
            ? t("budget.tokensOf", { used: print(used), amount: print(amount) })
            : t("budget.moneyOf", { used: print(used), amount: print(amount) })}
        </span>
      </p>
      <div
        role="meter"
        aria-label={group === null ? name : `${name} · ${group}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(share * 100)}
        aria-valuetext={printPercent(Math.floor(share * 100) / 100)}
        data-tone={used >= amount ? "full" : used >= amount * budgetWarningShare ? "near" : undefined}
        className={styles["bar"]}
      >
        <div style={{ inlineSize: `${share * 100}%` }} />
      </div>
      <p className="text-2 ink-faint">
        {t(used >= amount ? "budget.blockedUntil" : "budget.renews", { until: printMoment(new Date(until)) })}
      </p>
    </li>
  );
}
