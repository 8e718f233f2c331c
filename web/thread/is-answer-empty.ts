import { useAuiState } from "@assistant-ui/react";
import { useLatestReply } from "#web/data/answers/latest-reply.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { isUnreadFilesPart } from "#contract/parts/unread-files.ts";

/** Whether the current answer has no parts. The list of unread files does not count. */
export function useIsAnswerEmpty(): boolean {
  const isEmpty = useAuiState((s) => hasNothing(s.message.parts));
  const isRunning = useAuiState((s) => s.message.status?.type === "running");
  const runId = useMessageFacts(useAuiState((s) => s.message.id))?.runId;
  const isLatestEmpty = useLatestReply(isRunning && isEmpty ? runId : undefined, (latest) =>
    hasNothing(latest.parts),
  );
  return isEmpty && isLatestEmpty !== false;
}

function hasNothing(parts: readonly Parameters<typeof isUnreadFilesPart>[0][]): boolean {
  return parts.every((part) => isUnreadFilesPart(part));
}
