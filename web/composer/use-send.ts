import { useEffect, useState } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import { attachmentState } from "./attachment-state.ts";

/**
 * Sends the message. While its files upload or the thread loads, `send` waits for that. A change of the message, such as
 * typing or removing a file, and a failed upload cancel it. `canSend`: what was rendered last.
 */
export function useSend(canSend: boolean, isLoading: boolean): { send: () => void; isSendPending: boolean } {
  const aui = useAui();
  const [pendingMessage, setPendingMessage] = useState<string>();
  const isSendPending = useAuiState(
    ({ composer }) =>
      pendingMessage !== undefined &&
      messageKey(composer) === pendingMessage &&
      attachmentState(composer.attachments) !== "failed",
  );
  useEffect(() => {
    if (pendingMessage === undefined || (isSendPending && !canSend)) return;
    setPendingMessage(undefined);
    if (isSendPending) sendMessage(aui);
  }, [aui, pendingMessage, isSendPending, canSend]);
  return {
    send() {
      // The state that was rendered last may lag behind the last key.
      const state = aui.composer.getState();
      const isReady = attachmentState(state.attachments) === "ready";
      setPendingMessage(undefined);
      if (state.canSend && isReady) sendMessage(aui);
      else if (state.canSend || isLoading) setPendingMessage(messageKey(state));
    },
    isSendPending,
  };
}

function messageKey({ text, attachments }: { text: string; attachments: readonly { id: string }[] }): string {
  return [...attachments.map(({ id }) => id), text].join("\n");
}

/** Without attachments, the request is sent before React renders the empty field. `composer.send` renders it first. */
function sendMessage(aui: ReturnType<typeof useAui>): void {
  const { text, attachments, canSend, isEmpty } = aui.composer.getState();
  if (!canSend || isEmpty) return;
  if (attachments.length > 0) return aui.composer.send();
  aui.thread.append(text);
  aui.composer.setText("");
}
