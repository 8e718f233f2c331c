import type { ModelSettings, StoredModelSettings } from "#contract/endpoints/models.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { useCan } from "#web/data/session/session.ts";
import { useModelSettings } from "#web/data/assistants/model-settings.ts";
import { Notice } from "#web/ui/notice.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { ModelSelect } from "../assistants/model-select.tsx";
import { CheckField } from "../form/check-field.tsx";
import screenStyles from "../screen.module.css";
import styles from "./models-page.module.css";

/** What the owner decides for all models. Each change is saved at once. */
export function ModelSettingsSections({ isAllowed }: { isAllowed: boolean }) {
  const { state, failure, retry, stored, change } = useModelSettings(isAllowed);
  if (state === "failed")
    return (
      <Notice
        tone="danger"
        title={t("modelSettings.failed")}
        text={failure?.message}
        action={{ label: t("action.retry"), run: retry }}
      />
    );
  if (stored === undefined) return null;
  const save = (changed: Partial<ModelSettings>) => void change(changed).catch(showFailure);
  return (
    <>
      <SmallTasks stored={stored} onChange={save} />
      <Privacy stored={stored} onChange={save} />
    </>
  );
}

type SectionProps = { stored: StoredModelSettings; onChange(change: Partial<ModelSettings>): void };

function SmallTasks({ stored: { settings, from_environment: fixed }, onChange }: SectionProps) {
  const { models } = useModels();
  return (
    <section aria-labelledby="small-tasks">
      <h2 id="small-tasks" className={screenStyles["heading"]}>
        {t("modelSettings.smallTasks")}
      </h2>
      <p className={screenStyles["about"]}>{t("modelSettings.smallTasksAbout")}</p>
      <div className={styles["fields"]}>
        <ModelSelect
          label={t("modelSettings.smallModel")}
          hint={t("modelSettings.smallModelHint")}
          none={t("modelSettings.smallModelNone")}
          value={settings.small_model ?? ""}
          models={models.filter(({ provider }) => provider !== "builtin")}
          onChange={(id) => onChange({ small_model: id === "" ? null : id })}
        />
        <CheckField
          label={t("modelSettings.titles")}
          hint={t("modelSettings.titlesHint")}
          checked={settings.titles}
          onChange={(titles) => onChange({ titles })}
        />
        <CheckField
          label={t("modelSettings.summaries")}
          hint={t(
            fixed.summary_model === null
              ? "modelSettings.summariesHint"
              : fixed.summary_model === "off"
                ? "modelSettings.summariesOff"
                : "modelSettings.summariesFixed",
            { model: fixed.summary_model ?? "" },
          )}
          checked={fixed.summary_model === null ? settings.summaries : fixed.summary_model !== "off"}
          disabled={fixed.summary_model !== null}
          onChange={(summaries) => onChange({ summaries })}
        />
        <CheckField
          label={t("modelSettings.suggestions")}
          hint={t("modelSettings.suggestionsHint")}
          checked={settings.suggestions}
          onChange={(suggestions) => onChange({ suggestions })}
        />
      </div>
    </section>
  );
}

function Privacy({ stored: { settings, from_environment: fixed }, onChange }: SectionProps) {
  const mayRestrict = useCan("models.restrict") === true;
  return (
    <section aria-labelledby="local-only">
      <h2 id="local-only" className={screenStyles["heading"]}>
        {t("modelSettings.privacy")}
      </h2>
      <CheckField
        label={t("assistant.localOnly")}
        hint={
          fixed.local_only
            ? t("modelSettings.localOnlyFixed")
            : `${t("modelSettings.localOnlyHint")}${mayRestrict ? "" : ` ${t("modelSettings.localOnlyOwners")}`}`
        }
        checked={settings.local_only || fixed.local_only}
        disabled={fixed.local_only || !mayRestrict}
        onChange={(localOnly) => onChange({ local_only: localOnly })}
      />
    </section>
  );
}
