import { useEffect, useState } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import { attachmentState, type AttachmentState } from "./attachment-state.ts";

/**
 * Sends the message. While files upload, or the thread cannot accept a message, for example during loading, `send` is
 * postponed until it can. Typing, adding or removing a file, and a failed upload cancel it.
 */
export function useSend(
  canSend: boolean,
  files: AttachmentState,
): { send: () => void; isSendPending: boolean; cancelPendingSend: () => void } {
  const aui = useAui();
  const fileIds = useAuiState((s) => idsOf(s.composer.attachments));
  const [pendingFileIds, setPendingFileIds] = useState<string>();
  const isSendPending = pendingFileIds === fileIds;
  useEffect(() => {
    if (pendingFileIds === undefined || (isSendPending && !canSend && files !== "failed")) return;
    setPendingFileIds(undefined);
    if (isSendPending && canSend) sendMessage(aui);
  }, [aui, pendingFileIds, isSendPending, canSend, files]);
  return {
    send() {
      // The state that was rendered last may lag behind the last key.
      const { attachments, isEmpty, canSend: isAccepted } = aui.composer.getState();
      const state = attachmentState(attachments);
      if (isEmpty || state === "failed") return;
      if (isAccepted && state === "ready") sendMessage(aui);
      else setPendingFileIds(idsOf(attachments));
    },
    isSendPending,
    cancelPendingSend: () => setPendingFileIds(undefined),
  };
}

function idsOf(attachments: readonly { id: string }[]): string {
  return attachments.map(({ id }) => id).join(" ");
}

/** Without attachments, the request is sent before React renders the empty field. `composer.send` renders it first. */
function sendMessage(aui: ReturnType<typeof useAui>): void {
  const { text, attachments } = aui.composer.getState();
  if (attachments.length > 0) return aui.composer.send();
  aui.thread.append(text);
  aui.composer.setText("");
}
