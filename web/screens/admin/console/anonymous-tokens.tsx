import type { BudgetLimit } from "#contract/accounts/budgets.ts";
import type { AppAnonymousTokens } from "#contract/endpoints/anonymous-tokens.ts";
import { limits } from "#contract/limits.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { useApp } from "#web/data/console/console.ts";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../../form/check-field.tsx";
import { Form } from "../../form/form.tsx";
import { useForm } from "../../form/use-form.ts";
import { budgetFacts } from "../budgets/budget-facts.ts";
import {
  BudgetFields,
  budgetIn,
  mistakesInBudget,
  budgetTexts,
  type BudgetTexts,
} from "../budgets/budget-fields.tsx";
import { AllowedField } from "../groups/allowed-field.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./console.module.css";

/** Whether anyone gets a token of an app, and what all who have one may use. */
export function AnonymousTokens({ appId }: { appId: string }) {
  const { app, putAnonymousTokens } = useApp(appId);
  if (app === undefined) return null;
  return (
    <section aria-labelledby="app-anonymous">
      <h2 id="app-anonymous" className={screenStyles["heading"]}>
        {t("console.anonymous")}
      </h2>
      <p className={screenStyles["about"]}>{t("console.anonymousAbout")}</p>
      <AnonymousTokensForm stored={app.anonymous_tokens} onSave={putAnonymousTokens} />
    </section>
  );
}

type Values = BudgetTexts & { isOn: boolean; models: string[] | null };

function AnonymousTokensForm({
  stored,
  onSave,
}: {
  stored: AppAnonymousTokens;
  onSave: ReturnType<typeof useApp>["putAnonymousTokens"];
}) {
  const { is_on: isOn, is_allowed: isAllowed, models: allowed, budget, used } = stored;
  const { models } = useModels();
  const form = useForm<Values, BudgetLimit>({
    first: {
      isOn,
      models: allowed,
      ...budgetTexts(budget),
      // Proposed, so that nobody opens an app without a limit by accident.
      ...(!isOn && budget === null && { tokens_per_day: String(limits.guestTokensPerDay) }),
    },
    mistakesOf: (values) => (values.isOn ? mistakesInBudget(values) : {}),
    async onSave(values) {
      const next = budgetIn(values);
      const hasLimit = Object.values(next).some((amount) => amount !== null);
      await onSave({ is_on: values.isOn, models: values.models, budget: hasLimit ? next : null });
      showToast(t("account.saved"));
      return undefined;
    },
  });
  const { values, change } = form;
  return (
    <Form form={form} saveLabel={t("action.save")}>
      <CheckField
        label={t("console.anonymousOn")}
        hint={t(isAllowed ? "console.anonymousOnHint" : "signInSettings.guestsOff")}
        checked={values.isOn && isAllowed}
        disabled={!isAllowed}
        onChange={(next) => change({ isOn: next })}
      />
      {values.isOn && isAllowed && (
        <>
          <AllowedField
            legend={t("console.anonymousModels")}
            allLabel={t("rights.modelsAll")}
            someLabel={t("rights.modelsSome")}
            noneLabel={t("rights.modelsNone")}
            otherLabel={t("rights.modelsOther")}
            allowed={values.models}
            options={models.map(({ id, name }) => ({ id, name, ...(name === id ? {} : { note: id }) }))}
            onChange={(list) => change({ models: list })}
          />
          <fieldset className={styles["budget"]}>
            <legend>{t("console.anonymousBudget")}</legend>
            <p className={screenStyles["about"]}>{t("console.anonymousBudgetAbout")}</p>
            <BudgetFields form={form} />
            {isOn && budget !== null && (
              <p className={screenStyles["facts"]}>
                {budgetFacts(budget, used).map((fact) => (
                  <span key={fact}>{fact}</span>
                ))}
              </p>
            )}
          </fieldset>
        </>
      )}
    </Form>
  );
}
