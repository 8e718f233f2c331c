import { useAuiState } from "@assistant-ui/react";
import { unreadFilesOf } from "#web/parts/file/unread-files.tsx";

/** Whether the current answer has no parts. The list of unread files does not count. */
export function useIsAnswerEmpty(): boolean {
  return useAuiState((s) => s.message.parts.every((part) => unreadFilesOf(part) !== undefined));
}
