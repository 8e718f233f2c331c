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

/** `/trash`: the deleted threads, to restore or delete permanently. */
export function TrashScreen() {
  return (
    <Page title={t("screen.trash")}>
      <DeletedThreads />
    </Page>
  );
}

type Confirmation = { label: string; text: string; run(): Promise<string | undefined> };

function DeletedThreads() {
  const trash = useTrash();
  const commands = useThreadCommands();
  const bulkActions = useBulkActions();
  const selection = useSelection(trash.threads);
  const [confirmation, setConfirmation] = useState<Confirmation>();
  if (trash.state === "loading") return <LoadingRows />;
  if (trash.state === "failed" && trash.threads.length === 0) {
    return (
      <Notice
        tone="loss"
        title={t("trash.failed")}
        text={trash.failure?.message}
        action={{ label: t("action.retry"), run: trash.retry }}
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
  const confirmOne = (thread: Thread) =>
    setConfirmation({
      label: t("trash.deletePermanently"),
      text: t("trash.askOne", { title: titleOf(thread) }),
      async run() {
        await trash.remove(thread.id);
        return t("trash.goneOne", { title: titleOf(thread) });
      },
    });
  const confirmSelected = (threads: readonly Thread[]) =>
    setConfirmation({
      label: t("trash.deletePermanently"),
      text: t("select.askDelete", { count: threads.length }),
      async run() {
        const outcome = await trash.removeAll(threads);
        showFailures(outcome);
        selection.stop();
        return outcome.done.length === 0 ? undefined : t("trash.goneAll", { count: outcome.done.length });
      },
    });
  const confirmAll = () =>
    setConfirmation({
      label: t("trash.emptyIt"),
      text: t("trash.askAll"),
      run: async () => t("trash.goneAll", { count: await trash.empty() }),
    });
  return (
    <>
      {selection.isActive ? (
        <SelectionBar
          selection={selection}
          actions={[
            {
              label: t("archive.restore"),
              icon: ArchiveRestore,
              run: runAndStop(selection, bulkActions.restore),
            },
            {
              label: t("trash.deletePermanently"),
              icon: Trash,
              tone: "loss",
              run: () => confirmSelected(selection.selected),
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
            <Button onClick={confirmAll}>{t("trash.emptyIt")}</Button>
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
                onClick={() => commands.restore(thread)}
              />
              <IconButton
                icon={Trash}
                label={t("trash.deletePermanentlyThis", { title: titleOf(thread) })}
                data-tip={t("trash.deletePermanently")}
                className={styles["delete"]}
                onClick={() => confirmOne(thread)}
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
      {confirmation !== undefined && (
        <Confirm
          text={confirmation.text}
          label={confirmation.label}
          cancelLabel={t("action.cancel")}
          onCancel={() => setConfirmation(undefined)}
          onConfirm={() => {
            setConfirmation(undefined);
            confirmation.run().then(
              (done) => done !== undefined && showToast(done),
              (error: unknown) => showToast(failureOf(error).message, { tone: "loss" }),
            );
          }}
        />
      )}
    </>
  );
}
