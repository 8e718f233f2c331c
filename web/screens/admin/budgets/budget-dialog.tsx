import { budgetLimits, isInTokens, type BudgetLimit, type BudgetLimits } from "#contract/accounts/budgets.ts";
import { limits as bounds } from "#contract/limits.ts";
import type { useBudgets } from "#web/data/admin/budgets.ts";
import { Button } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { printDollars, printNumber, t } from "#web/i18n/translate.ts";
import { numberOf } from "../../form/numbers.ts";
import { TextField } from "../../form/text-field.tsx";
import { useForm } from "../../form/use-form.ts";
import dialogStyles from "../../dialog.module.css";
import styles from "../../screen.module.css";
import own from "./budgets.module.css";

const labels = {
  tokens_per_day: "budgets.tokensPerDay",
  tokens_per_month: "budgets.tokensPerMonth",
  usd_per_day: "budgets.usdPerDay",
  usd_per_month: "budgets.usdPerMonth",
} as const satisfies Record<BudgetLimit, string>;

/** Whose budget it is. `limits`: undefined if they have none of their own. */
export type Holder = {
  id: string;
  name: string;
  kind: "common" | "group" | "person";
  limits: BudgetLimits | undefined;
};

type Values = Record<BudgetLimit, string>;

/** Changes the budget of somebody. */
export function BudgetDialog({
  holder: { id, name, kind, limits },
  list,
  onClose,
}: {
  holder: Holder;
  list: Pick<ReturnType<typeof useBudgets>, "put" | "remove">;
  onClose(): void;
}) {
  const form = useForm<Values, BudgetLimit>({
    first: Object.fromEntries(
      budgetLimits.map((limit) => [limit, limits?.[limit] == null ? "" : String(limits[limit])]),
    ) as Values,
    mistakesOf: (values) =>
      Object.fromEntries(
        budgetLimits
          .filter((limit) => !isAmount(limit, numberOf(values[limit])))
          .map((limit) => [
            limit,
            isInTokens(limit)
              ? t("budgets.wrongTokens", { max: printNumber(bounds.budgetTokensMax) })
              : t("budgets.wrongUsd", { max: printDollars(bounds.budgetUsdMax) }),
          ]),
      ),
    async onSave(values) {
      const next = Object.fromEntries(
        budgetLimits.map((limit) => [limit, numberOf(values[limit]) ?? null]),
      ) as BudgetLimits;
      await list.put(id, next);
      showToast(t("account.saved"));
      return onClose;
    },
  });
  const remove = () =>
    void list.remove(id).then(() => {
      showToast(t("account.saved"));
      onClose();
    }, showFailure);
  const title = t("budgets.budgetOf", { name });
  return (
    <Dialog label={title} className={dialogStyles["dialog"]} onClose={onClose}>
      <form ref={form.element} noValidate onSubmit={(event) => void form.save(event)}>
        <h2 className={dialogStyles["title"]}>{title}</h2>
        <p className={styles["about"]}>{t(aboutOf(id, kind))}</p>
        <div className={own["fields"]}>
          {budgetLimits.map((limit) => (
            <TextField
              key={limit}
              label={t(labels[limit])}
              inputMode="decimal"
              isCode
              placeholder={t("budgets.noLimit")}
              value={form.values[limit]}
              mistake={form.mistakeOf(limit)}
              onBlur={form.leave(limit)}
              onChange={(text) => form.change({ [limit]: text })}
            />
          ))}
        </div>
        {form.failure !== undefined && (
          <p role="alert" className={own["failure"]}>
            {form.failure.message}
          </p>
        )}
        <div className={own["foot"]}>
          <span>
            {limits !== undefined && (
              <Button onClick={remove}>{t(inherits(id) ? "budgets.inherit" : "budgets.remove")}</Button>
            )}
          </span>
          <Button onClick={onClose}>{t("action.cancel")}</Button>
          <Button type="submit" look="strong" disabled={form.isSaving}>
            {t("action.save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function isAmount(limit: BudgetLimit, amount: number | undefined): boolean {
  if (amount === undefined) return true;
  return isInTokens(limit)
    ? Number.isInteger(amount) && amount >= 1 && amount <= bounds.budgetTokensMax
    : amount >= 0.01 && amount <= bounds.budgetUsdMax;
}

/** Whether another budget counts without this one. */
function inherits(id: string): boolean {
  return id !== "everyone" && id !== "guests";
}

function aboutOf(id: string, kind: Holder["kind"]) {
  if (kind === "group") return "budgets.groupAbout";
  if (kind === "person") return "budgets.personAbout";
  if (id === "everyone") return "budgets.everyoneAbout";
  if (id === "guests") return "budgets.guestsAbout";
  return id === "app" ? "budgets.appAbout" : "budgets.insteadAbout";
}
