import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./console.module.css";

/** Says that a list is filtered by a user or thread, with a button that shows all. */
export function ActiveFilter({ id, onAll }: { id: string; onAll(): void }) {
  return (
    <p className={styles["only"]}>
      <span>
        {t("console.onlyOf")} <bdi dir="ltr">{id}</bdi>
      </span>
      <Button onClick={onAll}>{t("console.showAll")}</Button>
    </p>
  );
}
