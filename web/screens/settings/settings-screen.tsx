import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import type { LucideIcon } from "lucide-react";
import { AssistantsLink } from "#web/screens/assistants/settings-link.tsx";
import { useStorageState } from "#web/data/drafts/device-storage.ts";
import { ShortcutList } from "#web/palette/shortcut-list.tsx";
import { usePreference } from "#web/preferences/preferences.ts";
import { Choice } from "#web/ui/choice.tsx";
import { languages } from "#web/i18n/languages.ts";
import { t, type StringKey } from "#web/i18n/translate.ts";
import { DataSection } from "./data-section.tsx";
import { Page } from "../page.tsx";
import styles from "./settings-screen.module.css";

const themes: {
  value: "system" | "light" | "dark";
  label: StringKey & `settings.${string}`;
  icon: LucideIcon;
}[] = [
  { value: "system", label: "settings.themeSystem", icon: Monitor },
  { value: "light", label: "settings.themeLight", icon: Sun },
  { value: "dark", label: "settings.themeDark", icon: Moon },
];

/** `/settings`: the preferences on this device, and the person's data. */
export function SettingsScreen() {
  const [theme, setTheme] = usePreference("theme");
  const [sendKey, setSendKey] = usePreference("sendKey");
  const [language, setLanguage] = usePreference("language");
  const [textSize, setTextSize] = usePreference("textSize");
  const [motion, setMotion] = usePreference("motion");
  const storageState = useStorageState();
  return (
    <Page title={t("screen.settings")}>
      <div className={styles["settings"]}>
        {storageState !== "kept" && (
          <p role="status" className={styles["unkept"]}>
            {t(storageState === "full" ? "settings.full" : "settings.forbidden")}
          </p>
        )}
        <Choice
          legend={t("settings.theme")}
          value={theme}
          onChange={setTheme}
          options={themes.map(({ value, label, icon }) => ({ value, icon, label: text(label) }))}
        />
        <Choice
          legend={t("settings.language")}
          value={language}
          onChange={setLanguage}
          options={[
            { value: "system", label: t("settings.languageSystem") },
            ...Object.entries(languages).map(([tag, { name }]) => ({ value: tag, lang: tag, label: name })),
          ]}
        />
        <Choice
          legend={t("settings.textSize")}
          value={textSize}
          onChange={setTextSize}
          options={[
            { value: "small", label: t("settings.textSmall") },
            { value: "normal", label: t("settings.textNormal") },
            { value: "large", label: t("settings.textLarge") },
            { value: "larger", label: t("settings.textLarger") },
          ]}
        />
        <Choice
          legend={t("settings.motion")}
          value={motion}
          onChange={setMotion}
          options={[
            { value: "system", label: t("settings.motionSystem") },
            { value: "reduced", label: t("settings.motionReduced") },
            { value: "full", label: t("settings.motionFull") },
          ]}
        />
        <Choice
          legend={t("settings.sendKey")}
          value={sendKey}
          onChange={setSendKey}
          options={[
            { value: "enter", label: t("settings.sendEnter"), hint: t("settings.sendEnterHint") },
            { value: "ctrlEnter", label: t("settings.sendCtrlEnter"), hint: t("settings.sendCtrlEnterHint") },
          ]}
        />
        <DataSection />
        <AssistantsLink />
        <section aria-labelledby="keyboard">
          <h2 id="keyboard" className={styles["legend"]}>
            {t("settings.keyboard")}
          </h2>
          <ShortcutList />
        </section>
      </div>
    </Page>
  );
}

function text(key: (typeof themes)[number]["label"]): string {
  return t(key as "settings.themeSystem");
}
