import { useNavigate, useParams } from "@tanstack/react-router";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { ExportFormat } from "#contract/endpoints/exports.ts";
import { saveFile } from "#web/data/transfer/save-file.ts";
import { useCan } from "#web/data/session/session.ts";
import { useServices } from "#web/data/provider.tsx";
import { useThreadActions } from "#web/data/threads/threads.ts";
import { openShareDialog } from "#web/ui/open-thread-dialog.ts";
import { showFailure, showOutcome } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";

/** The title of a thread, or a placeholder. */
export function titleOf(thread: Pick<Thread, "title"> | undefined): string {
  return thread?.title ?? t("thread.untitled");
}

/** The actions on one thread, with their toasts. Archiving and deleting can be undone. */
export function useThreadCommands() {
  const actions = useThreadActions();
  const { loadTransfers } = useServices();
  const navigate = useNavigate();
  const mayShareLinks = useCan("threads.share");
  const mayInvite = useCan("threads.invite");
  const { threadId: openThreadId } = useParams({ strict: false });

  const leave = async (thread: Thread) => {
    if (thread.id === openThreadId) await navigate({ to: "/" });
  };
  const attempt = (action: Promise<unknown>) => void action.catch(showFailure);

  return {
    rename(thread: Thread, title: string) {
      const trimmed = title.trim();
      if (trimmed !== "" && trimmed !== thread.title)
        attempt(actions.rename(thread.id, trimmed.slice(0, 255)));
    },
    /** Downloads the thread as a file. */
    exportAs(thread: Thread, format: ExportFormat) {
      const file = loadTransfers().then(
        async ({ download }) =>
          await download({ threadId: thread.id, format }, () => {}, new AbortController().signal),
      );
      attempt(file.then(saveFile));
    },
    /** Opens the dialog, for those who may share. */
    share:
      mayShareLinks === true || mayInvite === true
        ? (thread: Thread) => openShareDialog(thread.id)
        : undefined,
    pin: (thread: Thread, pinned: boolean) => attempt(actions.pin(thread.id, pinned)),
    limitToLocal: (thread: Thread, localOnly: boolean) =>
      showOutcome(
        actions.limitToLocal(thread.id, localOnly),
        t(localOnly ? "thread.isLocalOnly" : "thread.isAnyModel"),
      ),
    askAgain: (thread: Thread, toolName: string) => attempt(actions.disallowTool(thread, toolName)),
    archive(thread: Thread) {
      showOutcome(
        actions.archive(thread.id),
        t("thread.archived", { title: titleOf(thread) }),
        async () => await actions.unarchive(thread.id),
      );
      void leave(thread);
    },
    unarchive(thread: Thread) {
      showOutcome(actions.unarchive(thread.id), t("thread.restored", { title: titleOf(thread) }));
    },
    restore(thread: Thread) {
      showOutcome(actions.restore(thread.id), t("thread.restored", { title: titleOf(thread) }));
    },
    remove(thread: Thread) {
      showOutcome(
        actions.remove(thread.id),
        t("thread.deleted", { title: titleOf(thread) }),
        async () => await actions.restore(thread.id),
      );
      void leave(thread);
    },
  };
}
