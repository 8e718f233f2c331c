import { useNavigate, useParams } from "@tanstack/react-router";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { ExportFormat } from "#contract/endpoints/exports.ts";
import { saveFile } from "#web/data/transfer/save-file.ts";
import { useCan } from "#web/data/session/session.ts";
import { useServices } from "#web/data/provider.tsx";
import { useThreadActions } from "#web/data/threads/threads.ts";
import { openShareDialog } from "#web/ui/open-thread-dialog.ts";
import { showFailure, showToast } from "#web/ui/toast.tsx";
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
  const attempt = (action: Promise<void>, onDone?: () => void) => void action.then(onDone, showFailure);

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
      attempt(actions.limitToLocal(thread.id, localOnly), () =>
        showToast(t(localOnly ? "thread.isLocalOnly" : "thread.isAnyModel")),
      ),
    askAgain: (thread: Thread, toolName: string) => attempt(actions.disallowTool(thread, toolName)),
    archive(thread: Thread) {
      attempt(actions.archive(thread.id), () =>
        showToast(t("thread.archived", { title: titleOf(thread) }), {
          action: { label: t("action.undo"), run: () => attempt(actions.unarchive(thread.id)) },
        }),
      );
      void leave(thread);
    },
    unarchive(thread: Thread) {
      attempt(actions.unarchive(thread.id), () =>
        showToast(t("thread.restored", { title: titleOf(thread) })),
      );
    },
    restore(thread: Thread) {
      attempt(actions.restore(thread.id), () => showToast(t("thread.restored", { title: titleOf(thread) })));
    },
    remove(thread: Thread) {
      attempt(actions.remove(thread.id), () =>
        showToast(t("thread.deleted", { title: titleOf(thread) }), {
          action: { label: t("action.undo"), run: () => attempt(actions.restore(thread.id)) },
        }),
      );
      void leave(thread);
    },
  };
}
