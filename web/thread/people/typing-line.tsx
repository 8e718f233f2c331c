import { useTypists } from "#web/data/shares/typing.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./people.module.css";

/** Who else is typing, above the composer. */
export function TypingLine() {
  const { threadId, isShared } = useOpenThread();
  const typists = useTypists(threadId);
  if (!isShared) return null;
  const [first] = typists;
  return (
    <p role="status" className={styles["typing"]}>
      {typists.length === 1 && t("share.typing", { name: first?.name ?? t("share.somebody") })}
      {typists.length > 1 && t("share.typingSeveral", { count: typists.length })}
    </p>
  );
}
