import { Link } from "@tanstack/react-router";
import { useSharedThreads } from "#web/data/threads/threads.ts";
import { t } from "#web/i18n/translate.ts";
import { RunningMark, ThreadTitle } from "./thread-title.tsx";
import listStyles from "./thread-list.module.css";
import styles from "./thread-row.module.css";

/** 5: more would push the person's own threads out of sight. */
const shownMax = 5;

/** The newest threads that others share with the person, above their own. Nothing if there are none. */
export function SharedThreads({ threadId, onOpen }: { threadId: string | undefined; onOpen(): void }) {
  const { threads } = useSharedThreads();
  if (threads.length === 0) return null;
  return (
    <section aria-labelledby="group-shared" className={listStyles["group"]}>
      <h2 id="group-shared" className={listStyles["name"]}>
        {t("share.withMe")}
      </h2>
      <ul className={listStyles["rows"]}>
        {threads.slice(0, shownMax).map((thread) => (
          <li key={thread.id} className={styles["row"]} data-shown={thread.id === threadId || undefined}>
            <Link
              to="/t/$threadId"
              params={{ threadId: thread.id }}
              preload={false}
              draggable={false}
              aria-current={thread.id === threadId ? "page" : undefined}
              data-tip={t("share.byName", { name: thread.sharing?.owner_name ?? t("share.somebody") })}
              className={styles["link"]}
              onClick={onOpen}
            >
              <ThreadTitle thread={thread} />
              {thread.active_run_id !== null && <RunningMark />}
            </Link>
          </li>
        ))}
        {threads.length > shownMax && (
          <li className={styles["row"]}>
            <Link to="/shares" className={styles["link"]} onClick={onOpen}>
              {t("share.allShared")}
            </Link>
          </li>
        )}
      </ul>
    </section>
  );
}
