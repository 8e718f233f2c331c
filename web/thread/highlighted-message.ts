import { type RefObject, useEffect, useReducer, useRef } from "react";
import { useAuiState } from "@assistant-ui/react";
import { useThreadView } from "#web/runtime/thread-runtime.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";

/** 2.4 s: long enough to find it with the eye. */
const markMs = 2_400;

/**
 * Goes to a message that the address names, once: shows its branch where another is shown, brings earlier messages
 * until it is there, then scrolls to it, marks it and gives it the keyboard's focus.
 */
export function useMarkedMessage(
  messageId: string | undefined,
  isReady: boolean,
  content: RefObject<HTMLElement | null>,
  goTo: (element: HTMLElement) => void,
  onFound: (messageId: string) => void,
): void {
  const { state, show, hasEarlier, isLoadingEarlier, loadEarlier } = useThreadView();
  // Whatever is drawn anew may have brought it.
  const drawn = useAuiState((s) => s.thread.messages.map((message) => message.id).join(" "));
  const [steps, step] = useReducer((count: number) => count + 1, 0);
  const sought = useRef<{ id: string; shown: "no" | "asked" | "yes" | "found" }>(undefined);
  if (sought.current?.id !== messageId)
    sought.current = messageId === undefined ? undefined : { id: messageId, shown: "no" };

  useEffect(() => {
    const now = sought.current;
    if (now === undefined || now.shown === "found" || !isReady || state !== "ready") return;
    const element = content.current?.querySelector<HTMLElement>(`[data-message-id="${CSS.escape(now.id)}"]`);
    if (element) {
      now.shown = "found";
      goTo(element);
      mark(element);
      onFound(now.id);
    } else if (now.shown === "no") {
      now.shown = "asked";
      show(now.id).then(
        () => {
          now.shown = "yes";
          step();
        },
        () => {
          now.shown = "found";
          showToast(t("thread.messageMissing"), { tone: "loss" });
        },
      );
    } else if (now.shown === "yes" && hasEarlier && !isLoadingEarlier) loadEarlier();
  }, [
    messageId,
    isReady,
    state,
    drawn,
    steps,
    hasEarlier,
    isLoadingEarlier,
    show,
    loadEarlier,
    content,
    goTo,
    onFound,
  ]);
}

function mark(element: HTMLElement): void {
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.dataset["marked"] = "true";
  setTimeout(() => delete element.dataset["marked"], markMs);
}
