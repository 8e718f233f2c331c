import { useEffect, useState } from "react";
import { useParams, useSearch } from "@tanstack/react-router";
import type { Thread } from "#contract/endpoints/threads.ts";
import { resume, useTemporaryThread } from "#web/data/temporary/temporary-thread.ts";
import { Button } from "#web/ui/button.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./temporary.module.css";

export { resume };

/** Follows what the page shows. Other screens, such as the settings, do not erase the chat: one can go back. */
export function Watch({ thread }: { thread: Thread | undefined }) {
  const { threadId } = useParams({ strict: false });
  const temporary = useTemporaryThread();
  const isTemporary = thread === undefined ? undefined : thread.temporary_until !== null;
  useEffect(() => {
    // Until the page has read a new thread, its first message says what it is.
    if (threadId !== undefined && (isTemporary ?? temporary.isBeingSent(threadId))) temporary.open(threadId);
    else if (threadId !== temporary.id()) temporary.end();
    // Another tab kept it.
    else if (isTemporary === false) temporary.kept();
  }, [threadId, isTemporary, temporary]);
  // A new chat that the switch made an ordinary one has taken along what was not sent.
  const [wasTemporary] = useState(useSearch({ strict: false }).temporary === "true");
  useEffect(() => {
    if (threadId !== undefined || !wasTemporary) temporary.endNew();
  }, [threadId, wasTemporary, temporary]);
  return null;
}

/** The title of a temporary chat, and the button that keeps the chat. */
export function Title({ thread }: { thread: Thread | undefined }) {
  const temporary = useTemporaryThread();
  const { isBusy, run } = useBusy();
  if (thread === undefined) return null;
  async function keep(id: string): Promise<void> {
    await temporary.keep(id);
    showToast(t("temporary.kept"));
  }
  return (
    <>
      <div className={styles["titles"]}>
        <h1 className={styles["title"]}>{t("temporary.title")}</h1>
        <p className="text-2 ink-faint">{t("temporary.short")}</p>
      </div>
      <Button look="plain" disabled={isBusy} onClick={() => run(async () => await keep(thread.id))}>
        {t("temporary.keep")}
      </Button>
    </>
  );
}

/** What a temporary chat is, before its first message. */
export function Note() {
  return (
    <div className={styles["note"]}>
      <p className="ink bold">{t("temporary.title")}</p>
      <p>{t("temporary.where")}</p>
      <p>{t("temporary.memory")}</p>
      <p>{t("temporary.end")}</p>
    </div>
  );
}
