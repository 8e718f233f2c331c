import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import { usePreference } from "#web/preferences/preferences.ts";
import { RadioGroup } from "#web/ui/radio-group.tsx";
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
        <RadioGroup
          legend={t("settings.theme")}
          value={theme}
          onChange={setTheme}
          options={[
            { value: "system", icon: Monitor, label: t("settings.themeSystem") },
            { value: "light", icon: Sun, label: t("settings.themeLight") },
            { value: "dark", icon: Moon, label: t("settings.themeDark") },
          ]}
        />
        <RadioGroup
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
        <RadioGroup
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
