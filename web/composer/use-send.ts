import { useEffect, useRef } from "react";
import { useAui } from "@assistant-ui/react";
import type { AttachmentState } from "./attachment-state.ts";

/**
 * Sends the message. The runtime checks its current state, because `canSend` lags one render behind the last key. While
 * the thread cannot accept a message, for example during loading, `send` is postponed until it can. Typing cancels it.
 */
export function useSend(
  canSend: boolean,
  isEmpty: boolean,
  files: AttachmentState,
): { send: () => void; cancelPendingSend: () => void } {
  const aui = useAui();
  const isSendPending = useRef(false);
  useEffect(() => {
    if (isEmpty) isSendPending.current = false;
    if (!canSend || !isSendPending.current) return;
    isSendPending.current = false;
    sendMessage(aui);
  }, [aui, canSend, isEmpty]);
  return {
    send() {
      if (files !== "ready") return;
      isSendPending.current = true;
      sendMessage(aui);
    },
    cancelPendingSend: () => void (isSendPending.current = false),
  };
}

/** Without attachments, the request is sent before React renders the empty field. `composer.send` renders it first. */
function sendMessage(aui: ReturnType<typeof useAui>): void {
  const { text, attachments, canSend, isEmpty } = aui.composer.getState();
  if (attachments.length > 0) return aui.composer.send();
  if (!canSend || isEmpty) return;
  aui.thread.append(text);
  aui.composer.setText("");
}
