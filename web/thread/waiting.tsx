import { RunningIndicator } from "#web/ui/running-indicator.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./message.module.css";

/** A sign that an answer is in progress, until its first text arrives. */
export function Waiting() {
  return (
    <p className={styles["waiting"]}>
      <RunningIndicator />
      <span className="visually-hidden">{t("reply.waiting")}</span>
    </p>
  );
}
