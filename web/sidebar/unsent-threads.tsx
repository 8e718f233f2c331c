import { useSyncExternalStore } from "react";
import { Link } from "@tanstack/react-router";
import { plainText } from "#contract/parts/stored.ts";
import type { OutboxEntry } from "#web/data/outbox/outbox-entry.ts";
import { useServices } from "#web/data/provider.tsx";
import { t } from "#web/i18n/translate.ts";
import listStyles from "./thread-list.module.css";
import styles from "./thread-row.module.css";

/** The runs whose message failed to be sent, also in the past: they stay in the list while it is sent again. */
const failed = new Set<string>();

/** The ids of the runs. Text, so that sending a message, which changes the entries, renders nothing here. */
function unsentRunIds(entries: readonly OutboxEntry[]): string {
  for (const { runId, state } of entries) if (state === "failed") failed.add(runId);
  return entries
    .filter(({ runId, newThread, temporary }) => failed.has(runId) && newThread && temporary !== true)
    .map(({ runId }) => runId)
    .join(" ");
}

/** The new threads whose first message the server does not have yet, because it could not be sent. */
export function UnsentThreads({ threadId, onOpen }: { threadId: string | undefined; onOpen(): void }) {
  const { outbox } = useServices();
  const runIds = useSyncExternalStore(outbox.all.subscribe, () => unsentRunIds(outbox.all.get())).split(" ");
  const entries = outbox.all.get().filter(({ runId }) => runIds.includes(runId));
  if (entries.length === 0) return null;
  // The first message of each.
  const first = new Map(entries.toReversed().map((entry) => [entry.threadId, entry]));
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
