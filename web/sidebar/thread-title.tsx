import type { Thread } from "#contract/endpoints/threads.ts";
import { RunningIndicator } from "#web/ui/running-indicator.tsx";
import { t } from "#web/i18n/translate.ts";
import { titleOf } from "./row-actions.ts";
import styles from "./thread-row.module.css";

export function ThreadTitle({ thread }: { thread: Thread }) {
  return (
    <span dir="auto" className={styles["title"]} data-untitled={thread.title === null || undefined}>
      {titleOf(thread)}
    </span>
  );
}

/** Marks a thread with an answer that is being written. */
export function RunningMark() {
  return (
    <span className={styles["running"]}>
      <RunningIndicator tone="waiting" />
      <span className="visually-hidden">{t("thread.running")}</span>
    </span>
  );
}
