import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import { usePreference } from "#web/preferences/preferences.ts";
import { Choice } from "#web/ui/choice.tsx";
import { t } from "#web/i18n/translate.ts";
import { Page } from "../page.tsx";
import { StorageNote } from "./storage-note.tsx";
import styles from "./preferences.module.css";

/** `/settings/appearance`. */
export function AppearancePage() {
  const [theme, setTheme] = usePreference("theme");
  const [textSize, setTextSize] = usePreference("textSize");
  const [motion, setMotion] = usePreference("motion");
  return (
    <Page title={t("settings.appearance")}>
      <div className={styles["preferences"]}>
        <StorageNote />
        <Choice
          legend={t("settings.theme")}
          value={theme}
          onChange={setTheme}
          options={[
            { value: "system", icon: Monitor, label: t("settings.themeSystem") },
            { value: "light", icon: Sun, label: t("settings.themeLight") },
            { value: "dark", icon: Moon, label: t("settings.themeDark") },
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
      </div>
    </Page>
  );
}
