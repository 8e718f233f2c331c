import { useRef, useSyncExternalStore } from "react";
import { Link } from "@tanstack/react-router";
import { plainText } from "#contract/parts/stored.ts";
import { useServices } from "#web/data/provider.tsx";
import { t } from "#web/i18n/translate.ts";
import listStyles from "./thread-list.module.css";
import styles from "./thread-row.module.css";

/** The new threads whose first message the server does not have yet, because it could not be sent. */
export function UnsentThreads({ threadId, onOpen }: { threadId: string | undefined; onOpen(): void }) {
  const { outbox } = useServices();
  const entries = useSyncExternalStore(outbox.all.subscribe, outbox.all.get);
  const failed = useRef(new Set<string>());
  for (const { runId, state } of entries) if (state === "failed") failed.current.add(runId);
  const first = new Map(
    entries
      // They stay in the list while they are sent again.
      .filter(({ runId, state }) => failed.current.has(runId) && state !== "stored")
      .filter(({ newThread, temporary }) => newThread && temporary !== true)
      .toReversed()
      .map((entry) => [entry.threadId, entry]),
  );
  if (first.size === 0) return null;
  return (
    <section aria-labelledby="group-unsent" className={listStyles["group"]}>
      <h2 id="group-unsent" className={listStyles["name"]}>
        {t("sidebar.unsent")}
      </h2>
      <ul className={listStyles["rows"]}>
        {[...first].map(([id, { message }]) => (
          <li key={id} className={styles["row"]} data-shown={id === threadId || undefined}>
            <Link
              to="/t/$threadId"
              params={{ threadId: id }}
              preload={false}
              draggable={false}
              aria-current={id === threadId ? "page" : undefined}
              className={styles["link"]}
              onClick={onOpen}
            >
              <span dir="auto" className={styles["title"]}>
                {plainText("aui/v0", message?.content) || t("thread.untitled")}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
