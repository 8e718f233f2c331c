import { useState } from "react";
import ArchiveRestore from "lucide-react/icons/archive-restore";
import Trash from "lucide-react/icons/trash-2";
import type { Thread } from "#contract/threads.ts";
import { failureOf } from "#web/data/failure.ts";
import { useTrash } from "#web/data/trash.ts";
import { titleOf, useThreadDeeds } from "#web/sidebar/thread-deeds.ts";
import { Button, IconButton } from "#web/ui/button.tsx";
import { Confirm } from "#web/ui/confirm.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { printDay, t } from "#web/words/words.ts";
import { LoadingRows } from "./loading-rows.tsx";
import { Page } from "./page.tsx";
import styles from "./archive-screen.module.css";

/** `/trash`: deleted threads, to be brought back or deleted for good. */
export function TrashScreen() {
  return (
    <Page title={t("trash.title")}>
      <Thrown />
    </Page>
  );
}

type Asked = { label: string; text: string; deed(): Promise<string> };

function Thrown() {
  const trash = useTrash();
  const deeds = useThreadDeeds();
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
  const askForAll = () =>
    setAsked({
      label: t("trash.emptyIt"),
      text: t("trash.askAll"),
      deed: async () => t("trash.goneAll", { count: await trash.empty() }),
    });
  return (
    <>
      <div className={styles["head"]}>
        <p>{t("trash.hint")}</p>
        <Button onClick={askForAll}>{t("trash.emptyIt")}</Button>
      </div>
      <ul className={styles["list"]}>
        {trash.threads.map((thread) => (
          <li key={thread.id} className={styles["row"]}>
            <span dir="auto" className={styles["link"]}>
              {titleOf(thread)}
            </span>
            <time dateTime={thread.deleted_at ?? undefined} className={styles["day"]}>
              {printDay(new Date(thread.deleted_at ?? 0))}
            </time>
            <IconButton
              icon={ArchiveRestore}
              label={t("archive.restore")}
              onClick={() => deeds.restore(thread)}
            />
            <IconButton
              icon={Trash}
              label={t("trash.forGood")}
              className={styles["delete"]}
              onClick={() => askForOne(thread)}
            />
          </li>
        ))}
      </ul>
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
              (done) => showToast(done),
              (error: unknown) => showToast(failureOf(error).message, { tone: "loss" }),
            );
          }}
        />
      )}
    </>
  );
}
