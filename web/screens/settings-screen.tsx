import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import type { LucideIcon } from "lucide-react";
import { usePreference } from "#web/preferences/preferences.ts";
import { newChatKeys, sidebarKeys } from "#web/sidebar/shortcuts.ts";
import { Choice } from "#web/ui/choice.tsx";
import { t, type WordKey } from "#web/words/words.ts";
import { Page } from "./page.tsx";
import styles from "./settings-screen.module.css";

const themes: {
  value: "system" | "light" | "dark";
  label: WordKey & `settings.${string}`;
  icon: LucideIcon;
}[] = [
  { value: "system", label: "settings.themeSystem", icon: Monitor },
  { value: "light", label: "settings.themeLight", icon: Sun },
  { value: "dark", label: "settings.themeDark", icon: Moon },
];

/** `/settings`: what a person may choose on this device. */
export function SettingsScreen() {
  const [theme, setTheme] = usePreference("theme");
  const [sendKey, setSendKey] = usePreference("sendKey");
  return (
    <Page title={t("settings.title")}>
      <div className={styles["settings"]}>
        <Choice
          legend={t("settings.theme")}
          value={theme}
          onChange={setTheme}
          options={themes.map(({ value, label, icon }) => ({ value, icon, label: text(label) }))}
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
        <section aria-labelledby="keyboard">
          <h2 id="keyboard" className={styles["legend"]}>
            {t("settings.keyboard")}
          </h2>
          <dl className={styles["keys"]}>
            <Key does={t("settings.keyNewChat")} keys={newChatKeys} />
            <Key does={t("settings.keySidebar")} keys={sidebarKeys} />
            <Key does={t("settings.keyStop")} keys={t("key.escape")} />
            <Key does={t("settings.keyThreads")} keys={t("key.arrows")} />
            <Key does={t("settings.keyRename")} keys="F2" />
          </dl>
        </section>
      </div>
    </Page>
  );
}

function Key({ does, keys }: { does: string; keys: string }) {
  return (
    <div className={styles["key"]}>
      <dt>{does}</dt>
      <dd>
        {keys.split(" ").map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dd>
    </div>
  );
}

function text(key: (typeof themes)[number]["label"]): string {
  return t(key as "settings.themeSystem");
}
