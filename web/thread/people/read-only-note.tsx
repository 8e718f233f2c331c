import { t } from "#web/i18n/translate.ts";
import styles from "./people.module.css";

/** In place of the composer, for people who may only read. */
export function ReadOnlyNote({ owner }: { owner: string | null }) {
  return <p className={styles["readOnly"]}>{t("share.readOnly", { name: owner ?? t("share.somebody") })}</p>;
}
