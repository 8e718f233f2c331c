import { useRef, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useAui, useAuiState } from "@assistant-ui/react";
import GitBranch from "lucide-react/icons/git-branch";
import Link from "lucide-react/icons/link";
import Pencil from "lucide-react/icons/pencil";
import ReceiptText from "lucide-react/icons/receipt-text";
import Trash from "lucide-react/icons/trash-2";
import { appUrl } from "#web/lib/base-path.ts";
import { composerField } from "#web/composer/focus-composer.ts";
import { useServices } from "#web/data/provider.tsx";
import { cachedBranch, cachedThread } from "#web/data/threads/thread-cache.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { MenuButton } from "#web/ui/menu/menu.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { writeClipboard } from "#web/ui/copy/use-copied.ts";
import { touchOnly } from "#web/lib/use-media-query.ts";
import { t } from "#web/i18n/translate.ts";
import { editedAnswer } from "../answer-edit/edited-answer.ts";
import { useReadingTools } from "../reading-tools/lazy-reading-tools.ts";
import { LazyReceipt, loadReceipt } from "../receipt/lazy-receipt.tsx";

/** The menu of a message. Deleting can be undone while its toast is shown. */
export function MessageMenu({ role }: { role: "user" | "assistant" }) {
  const id = useAuiState((s) => s.message.id);
  const reply = useMessageFacts(id);
  // The receipt of an answer is for the person who asked.
  const runId = role === "assistant" && reply?.asker === undefined ? reply?.runId : undefined;
  const [isReceiptOpen, setReceiptOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const aui = useAui();
  const { threadId, access, copyBranch, remove } = useOpenThread();
  const { queries } = useServices();
  const navigate = useNavigate();
  const tools = useReadingTools();
  if (reply?.sendState !== "stored") return null;

  const copyLink = async () => {
    const url = new URL(appUrl(`/t/${threadId}`));
    url.searchParams.set("m", id);
    showToast(t((await writeClipboard(url.href)) ? "message.linkCopied" : "action.copyFailed"));
  };
  const continueInNewChat = async () => {
    const copyId = await copyBranch(id, (title) => t("message.copyTitle", { title }));
    await navigate({ to: "/t/$threadId", params: { threadId: copyId } });
  };
  const openReceipt = async () => {
    if (await loadReceipt()) setReceiptOpen(true);
    else showToast(t("missing.title"));
  };
  const removeUndoably = (withDescendants: boolean) => {
    // A run may have started while the menu was open.
    if (aui.thread.getState().isRunning) return showToast(t("message.busy"));
    focusAbove(button.current);
    const { commit, undo } = remove({ messageId: id, withDescendants });
    showToast(t(withDescendants ? "message.removedBelow" : "message.removed"), {
      action: { label: t("action.undo"), run: undo },
      onClose: () => void commit().catch(showFailure),
    });
  };
  const isOwn = access === "owner";
  const isEditable = () =>
    role === "assistant" &&
    cachedBranch(queries, threadId)?.messages.find((one) => one.id === id)?.format === "aui/v0";
  const items = (): MenuItem[] => {
    const { isRunning } = aui.thread.getState();
    return [
      ...(isOwn && !isRunning && isEditable()
        ? [{ label: t("action.edit"), icon: Pencil, onSelect: () => editedAnswer.set(id) }]
        : []),
      ...(role === "assistant" ? (tools?.readAloudItems(id) ?? []) : []),
      { label: t("message.copyLink"), icon: Link, onSelect: () => void copyLink() },
      ...(isOwn && cachedThread(queries, threadId)?.temporary_until == null
        ? [
            {
              label: t("message.copyBranch"),
              icon: GitBranch,
              onSelect: () => void continueInNewChat().catch(showFailure),
            },
          ]
        : []),
      ...(runId === undefined
        ? []
        : [{ label: t("receipt.open"), icon: ReceiptText, onSelect: () => void openReceipt() }]),
      // An answer that is being written belongs to its run.
      ...(isRunning || !isOwn
        ? []
        : [
            {
              label: t("message.remove"),
              icon: Trash,
              tone: "danger" as const,
              onSelect: () => removeUndoably(false),
            },
            {
              label: t("message.removeBelow"),
              icon: Trash,
              tone: "danger" as const,
              onSelect: () => removeUndoably(true),
            },
          ]),
    ];
  };
  return (
    <>
      <MenuButton ref={button} label={t("message.menu")} items={items} />
      {isReceiptOpen && runId !== undefined && (
        <LazyReceipt runId={runId} onClose={() => setReceiptOpen(false)} />
      )}
    </>
  );
}

/**
 * Moves the focus to the menu of the message above, which stays when this one is deleted, or else to the composer, except
 * on touch screens, where it would open the keyboard.
 */
function focusAbove(menu: HTMLElement | null): void {
  const menus = [
    ...document.querySelectorAll<HTMLElement>("#main [data-role] > [aria-haspopup=menu]:last-of-type"),
  ];
  const above = menus[menus.findIndex((each) => each === menu) - 1];
  const field = matchMedia(touchOnly).matches ? null : composerField();
  (above ?? field)?.focus({ preventScroll: true });
}
