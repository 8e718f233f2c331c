import {
  AssistantRuntimeProvider,
  MessageByIndexProvider,
  useExternalStoreRuntime,
  type ExternalStoreAdapter,
} from "@assistant-ui/react";
import { useContext, useMemo, type ReactNode } from "react";
import { VisibleFactsContext } from "#web/data/threads/message-facts-context.ts";
import type { VisibleMessage } from "#web/data/threads/visible-branch.ts";
import { BesideChatContext } from "#web/ui/beside-chat/beside-chat.ts";
import { useVisibleBranch } from "./use-visible-branch.ts";

/** A runtime of its own for one answer beside the visible branch: the primitives in `children` read it. */
export function AnswerRuntime({ answer, children }: { answer: VisibleMessage; children: ReactNode }) {
  const branch = useMemo(() => [answer], [answer]);
  const { facts, repository } = useVisibleBranch(branch);
  const adapter: ExternalStoreAdapter = {
    messageRepository: repository,
    isRunning: answer.row.status.type === "running",
    onNew: async () => {},
  };
  const threadId = useContext(BesideChatContext)?.threadId;
  const { id: answerId } = answer.row;
  // The thread does not have the files of this answer.
  const beside = useMemo(
    () => (threadId === undefined ? undefined : { threadId, answerId }),
    [threadId, answerId],
  );
  const runtime = useExternalStoreRuntime(adapter);
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <VisibleFactsContext value={facts}>
        <BesideChatContext value={beside}>
          <MessageByIndexProvider index={0}>{children}</MessageByIndexProvider>
        </BesideChatContext>
      </VisibleFactsContext>
    </AssistantRuntimeProvider>
  );
}
