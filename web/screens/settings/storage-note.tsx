import { useStorageState } from "#web/data/drafts/device-storage.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./preferences.module.css";

/** Says that the browser does not store the preferences. */
export function StorageNote() {
  const storageState = useStorageState();
  if (storageState === "kept") return null;
  return (
    <p role="status" className={styles["unkept"]}>
      {t(storageState === "full" ? "settings.full" : "settings.forbidden")}
    </p>
  );
}
