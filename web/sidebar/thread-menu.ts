import Archive from "lucide-react/icons/archive";
import Braces from "lucide-react/icons/braces";
import FileText from "lucide-react/icons/file-text";
import FolderInput from "lucide-react/icons/folder-input";
import HouseWifi from "lucide-react/icons/house-wifi";
import ListChecks from "lucide-react/icons/list-checks";
import Pencil from "lucide-react/icons/pencil";
import Pin from "lucide-react/icons/pin";
import PinOff from "lucide-react/icons/pin-off";
import Share from "lucide-react/icons/share-2";
import Trash from "lucide-react/icons/trash-2";
import type { Thread } from "#contract/endpoints/threads.ts";
import { openSortDialog } from "#web/ui/open-thread-dialog.ts";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { t } from "#web/i18n/translate.ts";
import type { useThreadCommands } from "./row-actions.ts";

/** The menu of a thread. `select` starts selecting in the list with this thread. */
export function threadMenu(
  thread: Thread,
  commands: ReturnType<typeof useThreadCommands>,
  rename: () => void,
  select?: () => void,
): MenuItem[] {
  return [
    { label: t("thread.rename"), icon: Pencil, onSelect: rename },
    thread.is_pinned
      ? { label: t("thread.unpin"), icon: PinOff, onSelect: () => commands.pin(thread, false) }
      : { label: t("thread.pin"), icon: Pin, onSelect: () => commands.pin(thread, true) },
    { label: t("thread.sort"), icon: FolderInput, onSelect: () => openSortDialog([thread]) },
    thread.local_only
      ? { label: t("thread.anyModel"), icon: HouseWifi, onSelect: () => commands.limitToLocal(thread, false) }
      : {
          label: t("thread.localOnly"),
          icon: HouseWifi,
          onSelect: () => commands.limitToLocal(thread, true),
        },
    ...(commands.share === undefined
      ? []
      : [{ label: t("thread.share"), icon: Share, onSelect: () => commands.share?.(thread) }]),
    ...(select === undefined ? [] : [{ label: t("select.begin"), icon: ListChecks, onSelect: select }]),
    {
      label: t("thread.exportMarkdown"),
      icon: FileText,
      onSelect: () => commands.exportAs(thread, "markdown"),
    },
    { label: t("thread.exportJson"), icon: Braces, onSelect: () => commands.exportAs(thread, "json") },
    { label: t("thread.archive"), icon: Archive, onSelect: () => commands.archive(thread) },
    { label: t("action.delete"), icon: Trash, tone: "danger", onSelect: () => commands.remove(thread) },
  ];
}
