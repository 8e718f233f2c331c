import type { VisibleQueuedMessage } from "#web/data/outbox/queued-messages.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { MissingPiece, useLoaded } from "#web/ui/load-failure.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./queue.module.css";

const list = createLazyModule(
  () => import("./queue-list.tsx"),
  (module) => module.QueueList,
  "thread",
);

export const loadQueueList = list.load;

/** The queued messages, below the running answer, where they will appear once they are sent. */
export function Queue() {
  const { queue } = useOpenThread();
  const loaded = list.use();
  return (
    <section aria-label={t("queue.label")} hidden={queue.length === 0} className={styles["queue"]}>
      <p role="status" className="visually-hidden">
        {queue.length > 0 && t("queue.count", { count: queue.length })}
      </p>
      {loaded === "failed" && <MissingPiece module={list} />}
      {(typeof loaded === "function" || queue.length > 0) && <LazyQueueList queue={queue} />}
    </section>
  );
}

function LazyQueueList({ queue }: { queue: readonly VisibleQueuedMessage[] }) {
  const QueueList = useLoaded(list);
  return QueueList === undefined ? null : <QueueList queue={queue} />;
}
