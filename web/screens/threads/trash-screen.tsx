import { useState } from "react";
import ArchiveRestore from "lucide-react/icons/archive-restore";
import ListChecks from "lucide-react/icons/list-checks";
import Trash from "lucide-react/icons/trash-2";
import type { Thread } from "#contract/endpoints/threads.ts";
import { failureOf } from "#web/data/failure.ts";
import { useTrash } from "#web/data/threads/trash.ts";
import { titleOf, useThreadCommands } from "#web/sidebar/thread-actions.ts";
import { Button, IconButton } from "#web/ui/button.tsx";
import { Confirm } from "#web/ui/confirm.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { showFailures, useBulkActions } from "#web/selection/bulk-actions.ts";
import { SelectableRow, RowList } from "#web/selection/row-list.tsx";
import { SelectionBar } from "#web/selection/selection-bar.tsx";
import { runAndStop, useSelection } from "#web/selection/use-selection.ts";
import { printDay, t } from "#web/i18n/translate.ts";
import { LoadingRows } from "../loading-rows.tsx";
import { Page } from "../page.tsx";
import styles from "#web/selection/row-list.module.css";

/** `/trash`: deleted threads, to be brought back or deleted for good. */
export function TrashScreen() {
  return (
    <Page title={t("trash.title")}>
      <Thrown />
    </Page>
  );
}

type Asked = { label: string; text: string; deed(): Promise<string | undefined> };

function Thrown() {
  const trash = useTrash();
  const deeds = useThreadCommands();
  const bulk = useBulkActions();
  const selection = useSelection(trash.threads);
  const [asked, setAsked] = useState<Asked>();
  if (trash.state === "loading") return <LoadingRows />;
  if (trash.state === "failed" && trash.threads.length === 0) {
    return (
      <Notice
        tone="loss"
        title={t("trash.failed")}
        text={trash.failure?.message}
        action={{ label: t("failure.retry"), run: trash.retry }}
      />
    );
  }
  if (trash.threads.length === 0) {
    return (
      <div className={styles["empty"]}>
        <p>{t("trash.empty")}</p>
        <p>{t("trash.emptyHint")}</p>
      </div>
    );
  }
  const askForOne = (thread: Thread) =>
    setAsked({
      label: t("trash.forGood"),
      text: t("trash.askOne", { title: titleOf(thread) }),
      async deed() {
        await trash.remove(thread.id);
        return t("trash.goneOne", { title: titleOf(thread) });
      },
    });
  const askForSelected = (threads: readonly Thread[]) =>
    setAsked({
      label: t("trash.forGood"),
      text: t("select.askForGood", { count: threads.length }),
      async deed() {
        const outcome = await trash.removeAll(threads);
        showFailures(outcome);
        selection.stop();
        return outcome.done.length === 0 ? undefined : t("trash.goneAll", { count: outcome.done.length });
      },
    });
  const askForAll = () =>
    setAsked({
      label: t("trash.emptyIt"),
      text: t("trash.askAll"),
      deed: async () => t("trash.goneAll", { count: await trash.empty() }),
    });
  return (
    <>
      {selection.isActive ? (
        <SelectionBar
          selection={selection}
          actions={[
            { label: t("archive.restore"), icon: ArchiveRestore, run: runAndStop(selection, bulk.restore) },
            {
              label: t("trash.forGood"),
              icon: Trash,
              tone: "loss",
              run: () => askForSelected(selection.selected),
            },
          ]}
        />
      ) : (
        <div className={styles["head"]}>
          <p>{t("trash.hint")}</p>
          <div className={styles["headButtons"]}>
            <Button icon={ListChecks} data-starts-selection onClick={() => selection.start()}>
              {t("select.begin")}
            </Button>
            <Button onClick={askForAll}>{t("trash.emptyIt")}</Button>
          </div>
        </div>
      )}
      <RowList selection={selection}>
        {trash.threads.map((thread) =>
          selection.isActive ? (
            <SelectableRow key={thread.id} id={thread.id} selection={selection} day={thread.deleted_at ?? ""}>
              {titleOf(thread)}
            </SelectableRow>
          ) : (
            <li key={thread.id} className={styles["row"]}>
              <span dir="auto" className={styles["link"]}>
                {titleOf(thread)}
              </span>
              <time dateTime={thread.deleted_at ?? undefined} className={styles["day"]}>
                {printDay(new Date(thread.deleted_at ?? 0))}
              </time>
              <IconButton
                icon={ArchiveRestore}
                label={t("archive.restoreThis", { title: titleOf(thread) })}
                data-tip={t("archive.restore")}
                onClick={() => deeds.restore(thread)}
              />
              <IconButton
                icon={Trash}
                label={t("trash.forGoodThis", { title: titleOf(thread) })}
                data-tip={t("trash.forGood")}
                className={styles["delete"]}
                onClick={() => askForOne(thread)}
              />
            </li>
          ),
        )}
      </RowList>
      {trash.hasMore && (
        <Button disabled={trash.isLoadingMore} onClick={trash.loadMore}>
          {t(trash.isLoadingMore ? "sidebar.loadingMore" : "archive.more")}
        </Button>
      )}
      {asked !== undefined && (
        <Confirm
          text={asked.text}
          label={asked.label}
          cancelLabel={t("message.editCancel")}
          onCancel={() => setAsked(undefined)}
          onConfirm={() => {
            setAsked(undefined);
            asked.deed().then(
              (done) => done !== undefined && showToast(done),
              (error: unknown) => showToast(failureOf(error).message, { tone: "loss" }),
            );
          }}
        />
      )}
    </>
  );
}
