import { findKeys, newChatKeys, paletteKeys, sidebarKeys } from "#web/sidebar/shortcuts.ts";
import { quoteKeys } from "#web/thread/reading-tools/quote-keys.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./shortcut-list.module.css";

export function ShortcutList() {
  const shortcuts: [action: string, keys: string][] = [
    [t("settings.keyPalette"), paletteKeys()],
    [t("settings.keyFind"), findKeys()],
    [t("sidebar.newChat"), newChatKeys()],
    [t("settings.keySidebar"), sidebarKeys()],
    [t("settings.keyStop"), t("key.escape")],
    [t("settings.keyEdit"), "↑"],
    [t("settings.keyQuote"), quoteKeys()],
    [t("settings.keyThreads"), t("key.arrows")],
    [t("settings.keyRename"), "F2"],
    [t("settings.keyDelete"), t("key.delete")],
    [t("settings.keyShortcuts"), "?"],
  ];
  return (
    <dl>
      {shortcuts.map(([action, keys]) => (
        <div key={action} className={styles["key"]}>
          <dt>{action}</dt>
          <dd dir="ltr">
            {keys.split(" ").map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
