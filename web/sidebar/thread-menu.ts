import Archive from "lucide-react/icons/archive";
import Braces from "lucide-react/icons/braces";
import FileText from "lucide-react/icons/file-text";
import ListChecks from "lucide-react/icons/list-checks";
import Pencil from "lucide-react/icons/pencil";
import Pin from "lucide-react/icons/pin";
import PinOff from "lucide-react/icons/pin-off";
import Trash from "lucide-react/icons/trash-2";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { t } from "#web/i18n/translate.ts";
import type { useThreadCommands } from "./thread-actions.ts";

/** The menu of a thread; in the list it may be the first that is selected. */
export function threadMenu(
  thread: Thread,
  deeds: ReturnType<typeof useThreadCommands>,
  rename: () => void,
  select?: () => void,
): MenuItem[] {
  return [
    { label: t("thread.rename"), icon: Pencil, onSelect: rename },
    thread.is_pinned
      ? { label: t("thread.unpin"), icon: PinOff, onSelect: () => deeds.pin(thread, false) }
      : { label: t("thread.pin"), icon: Pin, onSelect: () => deeds.pin(thread, true) },
    ...(select === undefined ? [] : [{ label: t("select.begin"), icon: ListChecks, onSelect: select }]),
    {
      label: t("thread.exportMarkdown"),
      icon: FileText,
      onSelect: () => deeds.exportAs(thread, "markdown"),
    },
    { label: t("thread.exportJson"), icon: Braces, onSelect: () => deeds.exportAs(thread, "json") },
    { label: t("thread.archive"), icon: Archive, onSelect: () => deeds.archive(thread) },
    { label: t("thread.delete"), icon: Trash, tone: "loss", onSelect: () => deeds.remove(thread) },
  ];
}
