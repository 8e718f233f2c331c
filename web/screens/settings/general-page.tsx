import { useModels } from "#web/data/assistants/models.ts";
import { useProfile } from "#web/data/session/profile.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { languages } from "#web/i18n/languages.ts";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../form/check-field.tsx";
import { Page } from "../page.tsx";
import { Licenses } from "./licenses.tsx";
import { ProfileFields } from "./profile-fields.tsx";
import { StorageNote } from "./storage-note.tsx";
import styles from "./preferences.module.css";

/** `/settings/general`. */
export function GeneralPage() {
  const [sendKey, setSendKey] = usePreference("sendKey");
  const [suggestions, setSuggestions] = usePreference("suggestions");
  const { suggestions: areOffered } = useModels();
  const { profile, update } = useProfile();
  const [language, setLanguage] = usePreference("language");
  return (
    <Page title={t("settings.general")}>
      <div className={styles["preferences"]}>
        <StorageNote />
        <RadioGroup
          legend={t("settings.language")}
          value={language}
          onChange={(tag) => {
            setLanguage(tag);
            if (profile !== null) void update({ language: tag === "system" ? null : tag }).catch(showFailure);
          }}
          options={[
            { value: "system", label: t("settings.languageSystem") },
            ...Object.entries(languages).map(([tag, { name }]) => ({ value: tag, lang: tag, label: name })),
          ]}
        />
        <ProfileFields />
        <RadioGroup
          legend={t("settings.sendKey")}
          value={sendKey}
          onChange={setSendKey}
          options={[
            { value: "enter", label: t("settings.sendEnter"), hint: t("settings.sendEnterHint") },
            { value: "ctrlEnter", label: t("settings.sendCtrlEnter"), hint: t("settings.sendCtrlEnterHint") },
          ]}
        />
        {areOffered && (
          <CheckField
            label={t("settings.suggestions")}
            hint={t("settings.suggestionsHint")}
            checked={suggestions}
            onChange={setSuggestions}
          />
        )}
      </div>
      <Licenses />
    </Page>
  );
}
