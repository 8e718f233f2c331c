import X from "lucide-react/icons/x";
import { IconButton } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { t } from "#web/i18n/translate.ts";
import { ShortcutList } from "./shortcut-list.tsx";
import styles from "./shortcuts-box.module.css";

/** The dialog of keyboard shortcuts, opened with `?`. */
export function ShortcutsBox({ onClose }: { onClose(): void }) {
  return (
    <Dialog label={t("settings.keyboard")} onClose={onClose}>
      <div className={styles["head"]}>
        <h2>{t("settings.keyboard")}</h2>
        <IconButton icon={X} label={t("action.close")} onClick={onClose} />
      </div>
      <div className={styles["list"]}>
        <ShortcutList />
      </div>
    </Dialog>
  );
}
