import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./console.module.css";

/** Says that a list has only entries of one user or thread, and shows all again. */
export function OnlyOf({ id, onAll }: { id: string; onAll(): void }) {
  return (
    <p className={styles["only"]}>
      <span>
        {t("console.onlyOf")} <bdi dir="ltr">{id}</bdi>
      </span>
      <Button onClick={onAll}>{t("console.showAll")}</Button>
    </p>
  );
}
