import type { BudgetLimit, BudgetLimits } from "#contract/accounts/budgets.ts";
import type { useBudgets } from "#web/data/admin/budgets.ts";
import { Button } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { useForm } from "../../form/use-form.ts";
import { BudgetFields, budgetIn, mistakesInBudget, budgetTexts, type BudgetTexts } from "./budget-fields.tsx";
import dialogStyles from "../../dialog.module.css";
import styles from "../../screen.module.css";
import own from "./budgets.module.css";

/** Whose budget it is. `limits`: undefined if they have none of their own. */
export type Holder = {
  id: string;
  name: string;
  kind: "common" | "group" | "person";
  limits: BudgetLimits | undefined;
};

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
  const form = useForm<BudgetTexts, BudgetLimit>({
    first: budgetTexts(limits),
    mistakesOf: mistakesInBudget,
    async onSave(values) {
      await list.put(id, budgetIn(values));
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
        <BudgetFields form={form} />
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
