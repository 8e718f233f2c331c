import { newChatKeys, paletteKeys, sidebarKeys } from "#web/sidebar/shortcuts.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./shortcut-list.module.css";

/** What each key does. */
export function ShortcutList() {
  const keys: [does: string, keys: string][] = [
    [t("settings.keyPalette"), paletteKeys()],
    [t("settings.keyNewChat"), newChatKeys()],
    [t("settings.keySidebar"), sidebarKeys()],
    [t("settings.keyStop"), t("key.escape")],
    [t("settings.keyThreads"), t("key.arrows")],
    [t("settings.keyRename"), "F2"],
    [t("settings.keyDelete"), t("key.delete")],
    [t("settings.keyShortcuts"), "?"],
  ];
  return (
    <dl>
      {keys.map(([does, pressed]) => (
        <div key={does} className={styles["key"]}>
          <dt>{does}</dt>
          <dd dir="ltr">
            {pressed.split(" ").map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
