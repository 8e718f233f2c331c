import { useNavigate } from "@tanstack/react-router";
import Bot from "lucide-react/icons/bot";
import BookText from "lucide-react/icons/book-text";
import Files from "lucide-react/icons/files";
import Keyboard from "lucide-react/icons/keyboard";
import MessageCircleDashed from "lucide-react/icons/message-circle-dashed";
import Paperclip from "lucide-react/icons/paperclip";
import Search from "lucide-react/icons/search";
import Settings from "lucide-react/icons/settings-2";
import Sparkles from "lucide-react/icons/sparkles";
import SquarePen from "lucide-react/icons/square-pen";
import type { LucideIcon } from "lucide-react";
import { useCan } from "#web/data/session/session.ts";
import { t } from "#web/i18n/translate.ts";
import { openShortcuts } from "#web/ui/app-dialog.ts";
import { openFileDialog } from "../attach-button.tsx";
import { composerField, focusComposer } from "../focus-composer.ts";

export type Command = { name: string; icon: LucideIcon; label: string; run(): void };

/** The actions that can be run from the message field, by an English name that is typed after `/`. */
export function useCommands(hasPicker: boolean): Command[] {
  const navigate = useNavigate();
  const mayUpload = useCan("files.upload") !== false;
  return [
    {
      name: "new",
      icon: SquarePen,
      label: t("sidebar.newChat"),
      run: () => void navigate({ to: "/" }).then(focusComposer),
    },
    {
      name: "temporary",
      icon: MessageCircleDashed,
      label: t("temporary.title"),
      run: () => void navigate({ to: "/", search: { temporary: "true" } }).then(focusComposer),
    },
    { name: "search", icon: Search, label: t("palette.search"), run: () => void navigate({ to: "/search" }) },
    ...(hasPicker
      ? [{ name: "model", icon: Sparkles, label: t("assistantPicker.label"), run: openPicker }]
      : []),
    ...(mayUpload ? [{ name: "attach", icon: Paperclip, label: t("attach.add"), run: openFileDialog }] : []),
    {
      name: "prompts",
      icon: BookText,
      label: t("prompts.manage"),
      run: () => void navigate({ to: "/prompts" }),
    },
    {
      name: "assistants",
      icon: Bot,
      label: t("assistants.title"),
      run: () => void navigate({ to: "/settings/$page", params: { page: "assistants" } }),
    },
    { name: "files", icon: Files, label: t("palette.files"), run: () => void navigate({ to: "/files" }) },
    {
      name: "settings",
      icon: Settings,
      label: t("palette.settings"),
      run: () => void navigate({ to: "/settings" }),
    },
    { name: "shortcuts", icon: Keyboard, label: t("palette.shortcuts"), run: openShortcuts },
  ];
}

/** The button opens its menu with a click until the menu has loaded, and with a key after that. */
function openPicker(): void {
  const button = composerField()?.closest("form")?.querySelector<HTMLElement>("[data-picker]");
  button?.focus();
  button?.click();
  button?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
}
