import { type RefObject, useEffect, useReducer, useRef } from "react";
import { useAuiState } from "@assistant-ui/react";
import { limits } from "#contract/limits.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";

/** 2.4 s: long enough to notice the highlight. */
const highlightMs = 2_400;

/**
 * Goes to the message in the address once: switches to its branch, loads earlier messages until it is there, then scrolls
 * to it, highlights it and focuses it.
 */
export function useHighlightedMessage(
  messageId: string | undefined,
  isReady: boolean,
  content: RefObject<HTMLElement | null>,
  goTo: (element: HTMLElement) => void,
  onFound: (messageId: string) => void,
): void {
  const { state, showMessage, hasEarlier, isLoadingEarlier, loadEarlier } = useOpenThread();
  // The message may appear with any change of the list.
  const messageIds = useAuiState((s) => s.thread.messages.map((message) => message.id).join(" "));
  const [retries, retry] = useReducer((count: number) => count + 1, 0);
  const target = useRef<{ id: string; branch: "unknown" | "requested" | "visible" | "done" }>(undefined);
  if (target.current?.id !== messageId)
    target.current = messageId === undefined ? undefined : { id: messageId, branch: "unknown" };

  useEffect(() => {
    const now = target.current;
    if (now === undefined || now.branch === "done" || !isReady || state !== "ready") return;
    const element = content.current?.querySelector<HTMLElement>(`[data-message-id="${CSS.escape(now.id)}"]`);
    if (element) {
      now.branch = "done";
      goTo(element);
      highlight(element);
      onFound(now.id);
    } else if (now.branch === "unknown") {
      now.branch = "requested";
      showMessage(now.id).then(
        () => {
          now.branch = "visible";
          retry();
        },
        () => {
          now.branch = "done";
          showToast(t("thread.messageMissing"), { tone: "danger" });
        },
      );
    } else if (now.branch === "visible" && hasEarlier && !isLoadingEarlier) loadEarlier(limits.branchPage);
  }, [
    messageId,
    isReady,
    state,
    messageIds,
    retries,
    hasEarlier,
    isLoadingEarlier,
    showMessage,
    loadEarlier,
    content,
    goTo,
    onFound,
  ]);
}

function highlight(element: HTMLElement): void {
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.dataset["marked"] = "true";
  setTimeout(() => delete element.dataset["marked"], highlightMs);
}
