import { Link } from "@tanstack/react-router";
import ArchiveRestore from "lucide-react/icons/archive-restore";
import ListChecks from "lucide-react/icons/list-checks";
import Trash from "lucide-react/icons/trash-2";
import type { Thread } from "#contract/endpoints/threads.ts";
import { useThreadList } from "#web/data/threads/threads.ts";
import { titleOf, useThreadCommands } from "#web/sidebar/thread-actions.ts";
import { Button, IconButton } from "#web/ui/button.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { useBulkActions } from "#web/selection/bulk-actions.ts";
import { SelectableRow, RowList } from "#web/selection/row-list.tsx";
import { SelectionBar } from "#web/selection/selection-bar.tsx";
import { type RowSelection, runAndStop, useSelection } from "#web/selection/use-selection.ts";
import { printDay, t } from "#web/i18n/translate.ts";
import { LoadingRows } from "../loading-rows.tsx";
import { Page } from "../page.tsx";
import styles from "#web/selection/row-list.module.css";

/** `/archive`: the archived threads. */
export function ArchiveScreen() {
  return (
    <Page title={t("screen.archive")}>
      <ArchivedThreads />
    </Page>
  );
}

function ArchivedThreads() {
  const list = useThreadList("archived");
  const selection = useSelection(list.threads);
  const bulkActions = useBulkActions();
  if (list.state === "loading") return <LoadingRows />;
  if (list.state === "failed" && list.threads.length === 0) {
    return (
      <Notice
        tone="loss"
        title={t("archive.failed")}
        text={list.failure?.message}
        action={{ label: t("action.retry"), run: list.retry }}
      />
    );
  }
  if (list.threads.length === 0) {
    return (
      <div className={styles["empty"]}>
        <p>{t("archive.empty")}</p>
        <p>{t("archive.emptyHint")}</p>
      </div>
    );
  }
  return (
    <>
      {selection.isActive ? (
        <SelectionBar
          selection={selection}
          actions={[
            {
              label: t("archive.restore"),
              icon: ArchiveRestore,
              run: runAndStop(selection, bulkActions.unarchive),
            },
            {
              label: t("action.delete"),
              icon: Trash,
              tone: "loss",
              run: runAndStop(selection, bulkActions.remove),
            },
          ]}
        />
      ) : (
        <div className={styles["head"]}>
          <div className={styles["headButtons"]}>
            <Button icon={ListChecks} data-starts-selection onClick={() => selection.start()}>
              {t("select.begin")}
            </Button>
          </div>
        </div>
      )}
      <RowList selection={selection}>
        {list.threads.map((thread) => (
          <Row key={thread.id} thread={thread} selection={selection} />
        ))}
      </RowList>
      {list.hasMore && (
        <Button disabled={list.isLoadingMore} onClick={list.loadMore}>
          {t(list.isLoadingMore ? "sidebar.loadingMore" : "archive.more")}
        </Button>
      )}
    </>
  );
}

function Row({ thread, selection }: { thread: Thread; selection: RowSelection }) {
  const commands = useThreadCommands();
  if (selection.isActive) {
    return (
      <SelectableRow id={thread.id} selection={selection} day={thread.last_message_at}>
        {titleOf(thread)}
      </SelectableRow>
    );
  }
  return (
    <li className={styles["row"]}>
      <Link to="/t/$threadId" params={{ threadId: thread.id }} dir="auto" className={styles["link"]}>
        {titleOf(thread)}
      </Link>
      <time dateTime={thread.last_message_at} className={styles["day"]}>
        {printDay(new Date(thread.last_message_at))}
      </time>
      <IconButton
        icon={ArchiveRestore}
        label={t("archive.restoreThis", { title: titleOf(thread) })}
        data-tip={t("archive.restore")}
        onClick={() => commands.unarchive(thread)}
      />
      <IconButton
        icon={Trash}
        label={t("archive.deleteThis", { title: titleOf(thread) })}
        data-tip={t("action.delete")}
        className={styles["delete"]}
        onClick={() => commands.remove(thread)}
      />
    </li>
  );
}
