import { type Ref, useImperativeHandle } from "react";
import Archive from "lucide-react/icons/archive";
import FolderInput from "lucide-react/icons/folder-input";
import Pin from "lucide-react/icons/pin";
import PinOff from "lucide-react/icons/pin-off";
import Trash from "lucide-react/icons/trash-2";
import type { Thread } from "#contract/endpoints/threads.ts";
import { useBulkActions } from "#web/selection/bulk-actions.ts";
import { SelectionBar } from "#web/selection/selection-bar.tsx";
import { type RowSelection, runAndStop } from "#web/selection/use-selection.ts";
import { openSortDialog } from "#web/ui/open-thread-dialog.ts";
import { t } from "#web/i18n/translate.ts";

/** What keys of the list do: deletes the selected threads. */
export type ListBarActions = { remove(): void };

/** The actions on the selected threads of the list. */
export function ListBar({ selection, ref }: { selection: RowSelection<Thread>; ref: Ref<ListBarActions> }) {
  const bulkActions = useBulkActions();
  const remove = runAndStop(selection, bulkActions.remove);
  useImperativeHandle(ref, () => ({ remove }));
  const isPinned = selection.selected.length > 0 && selection.selected.every((thread) => thread.is_pinned);
  return (
    <SelectionBar
      selection={selection}
      actions={[
        isPinned
          ? {
              label: t("thread.unpin"),
              icon: PinOff,
              run: runAndStop(selection, (threads) => bulkActions.pin(threads, false)),
            }
          : {
              label: t("thread.pin"),
              icon: Pin,
              run: runAndStop(selection, (threads) => bulkActions.pin(threads, true)),
            },
        { label: t("thread.sort"), icon: FolderInput, run: runAndStop(selection, openSortDialog) },
        { label: t("thread.archive"), icon: Archive, run: runAndStop(selection, bulkActions.archive) },
        { label: t("action.delete"), icon: Trash, tone: "danger", run: remove },
      ]}
    />
  );
}
