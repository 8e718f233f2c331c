import { useNavigate, useParams } from "@tanstack/react-router";
import Archive from "lucide-react/icons/archive";
import BookText from "lucide-react/icons/book-text";
import Braces from "lucide-react/icons/braces";
import FileText from "lucide-react/icons/file-text";
import Keyboard from "lucide-react/icons/keyboard";
import MessageCircleDashed from "lucide-react/icons/message-circle-dashed";
import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import PanelLeft from "lucide-react/icons/panel-left";
import Pin from "lucide-react/icons/pin";
import PinOff from "lucide-react/icons/pin-off";
import Search from "lucide-react/icons/search";
import Settings from "lucide-react/icons/settings-2";
import Share from "lucide-react/icons/share-2";
import SquarePen from "lucide-react/icons/square-pen";
import Sun from "lucide-react/icons/sun";
import Files from "lucide-react/icons/files";
import Trash from "lucide-react/icons/trash-2";
import type { LucideIcon } from "lucide-react";
import { useSession } from "#web/data/session/session.ts";
import { useThread } from "#web/data/threads/threads.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { focusComposer } from "#web/composer/focus-composer.ts";
import { newChatKeys, sidebarKeys } from "#web/sidebar/shortcuts.ts";
import { useThreadCommands } from "#web/sidebar/row-actions.ts";
import { narrowScreen } from "#web/lib/use-media-query.ts";
import { t } from "#web/i18n/translate.ts";
import { openShortcuts } from "../ui/app-dialog.ts";

export type Action = { key: string; icon: LucideIcon; label: string; keys?: string; run(): void };

/** A page of the settings or of the administration. */
export type PageEntry = { name: string; icon: LucideIcon; label(): string };

/** The actions that are available everywhere, and those for the open thread. */
export function useActions(settingsPages: readonly PageEntry[], adminPages: readonly PageEntry[]): Action[] {
  const navigate = useNavigate();
  const commands = useThreadCommands();
  const { me } = useSession();
  const { threadId } = useParams({ strict: false });
  const { thread } = useThread(threadId);
  const [theme, setTheme] = usePreference("theme");
  const [sidebarOpen, setSidebarOpen] = usePreference("sidebarOpen");
  const go =
    (to: "/search" | "/archive" | "/files" | "/prompts" | "/shares" | "/trash" | "/settings") => () =>
      void navigate({ to });

  const actions: Action[] = [
    {
      key: "new",
      icon: SquarePen,
      label: t("sidebar.newChat"),
      keys: newChatKeys(),
      run: () => void navigate({ to: "/" }).then(focusComposer),
    },
    {
      key: "temporary",
      icon: MessageCircleDashed,
      label: t("temporary.title"),
      run: () => void navigate({ to: "/", search: { temporary: "true" } }).then(focusComposer),
    },
  ];
  if (thread !== undefined && thread.temporary_until === null) {
    actions.push(
      {
        key: "pin",
        icon: thread.is_pinned ? PinOff : Pin,
        label: t(thread.is_pinned ? "palette.unpinThread" : "palette.pinThread"),
        run: () => commands.pin(thread, !thread.is_pinned),
      },
      thread.is_archived
        ? {
            key: "unarchive",
            icon: Archive,
            label: t("palette.unarchiveThread"),
            run: () => commands.unarchive(thread),
          }
        : {
            key: "archive-thread",
            icon: Archive,
            label: t("palette.archiveThread"),
            run: () => commands.archive(thread),
          },
      {
        key: "export-markdown",
        icon: FileText,
        label: t("palette.exportMarkdown"),
        run: () => commands.exportAs(thread, "markdown"),
      },
      {
        key: "export-json",
        icon: Braces,
        label: t("palette.exportJson"),
        run: () => commands.exportAs(thread, "json"),
      },
      { key: "delete", icon: Trash, label: t("palette.deleteThread"), run: () => commands.remove(thread) },
    );
  }
  actions.push(
    { key: "search", icon: Search, label: t("palette.search"), run: go("/search") },
    { key: "archive", icon: Archive, label: t("palette.archive"), run: go("/archive") },
    { key: "files", icon: Files, label: t("palette.files"), run: go("/files") },
    { key: "prompts", icon: BookText, label: t("palette.prompts"), run: go("/prompts") },
    // As in the sidebar.
    ...(me === undefined || me.role === "guest"
      ? []
      : [{ key: "shares", icon: Share, label: t("palette.shares"), run: go("/shares") }]),
    { key: "trash", icon: Trash, label: t("palette.trash"), run: go("/trash") },
    { key: "settings", icon: Settings, label: t("palette.settings"), run: go("/settings") },
    ...settingsPages.map(({ name, icon, label }) => ({
      key: `settings-${name}`,
      icon,
      label: t("palette.settingsPage", { page: label() }),
      run: () => void navigate({ to: "/settings/$page", params: { page: name } }),
    })),
    ...adminPages.map(({ name, icon, label }) => ({
      key: `admin-${name}`,
      icon,
      label: t("palette.adminPage", { page: label() }),
      run: () => void navigate({ to: "/admin/$page", params: { page: name } }),
    })),
  );
  // In a narrow window the sidebar is a drawer with its own button.
  if (!matchMedia(narrowScreen).matches) {
    actions.push({
      key: "sidebar",
      icon: PanelLeft,
      label: t(sidebarOpen ? "sidebar.close" : "sidebar.open"),
      keys: sidebarKeys(),
      run: () => setSidebarOpen(!sidebarOpen),
    });
  }
  const themes = [
    { value: "light", icon: Sun, label: t("palette.light") },
    { value: "dark", icon: Moon, label: t("palette.dark") },
    { value: "system", icon: Monitor, label: t("palette.system") },
  ] as const;
  for (const { value, icon, label } of themes)
    if (value !== theme) actions.push({ key: value, icon, label, run: () => setTheme(value) });
  actions.push({
    key: "shortcuts",
    icon: Keyboard,
    label: t("palette.shortcuts"),
    keys: "?",
    run: openShortcuts,
  });
  return actions;
}
