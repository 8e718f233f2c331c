import {
  AssistantRuntimeProvider,
  useExternalStoreRuntime,
  type ExternalStoreAdapter,
} from "@assistant-ui/react";
import { useLayoutEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from "react";
import type { Thread } from "#contract/endpoints/threads.ts";
import { newId } from "#contract/ids.ts";
import { useThreadBranch } from "#web/data/threads/branch.ts";
import { useRemaining } from "#web/data/threads/removals.ts";
import { draftOf } from "#web/data/drafts/draft.ts";
import { temporaryDraft } from "#web/data/drafts/temporary-storage.ts";
import type { AssistantChoice, ComparedModels } from "#web/data/outbox/outbox-entry.ts";
import { useServices } from "#web/data/provider.tsx";
import { VisibleFactsContext } from "#web/data/threads/message-facts-context.ts";
import { useAttachmentAdapter, useRestoredAttachments } from "./attachment-adapter.ts";
import { OpenThreadContext, type OpenThread } from "./open-thread.ts";
import { createThreadStore } from "./thread-store.ts";
import { useDraft } from "./use-draft.ts";
import { useVisibleBranch } from "./use-visible-branch.ts";

type Props = {
  /** Absent for the new chat: its thread is created with the first message. */
  threadId: string | undefined;
  /** Who it is shared with; `undefined` for a thread that is not shared. */
  sharing: Thread["sharing"];
  /** The assistant and model that answer; the same object until that changes. */
  choice: AssistantChoice;
  /** The models that answer the next message side by side. */
  compared: ComparedModels | undefined;
  onCompared: (next: undefined) => void;
  /** The new chat has become this thread; its first message is being sent. */
  onThreadCreated: (id: string) => void;
  children: ReactNode;
};

/**
 * assistant-ui's runtime over our own data: the primitives in `children` act on this thread. A new chat keeps its runtime
 * when it becomes a thread; another thread or another user gets a new one.
 */
export function ThreadRuntime({ threadId, ...rest }: Props) {
  const [newThreadId, setNewThreadId] = useState(() => newId("thread"));
  const [before, setBefore] = useState(threadId);
  if (before !== threadId) {
    setBefore(threadId);
    if (threadId === undefined) setNewThreadId(newId("thread"));
  }
  const id = threadId ?? newThreadId;
  const { userEpoch } = useServices();
  const epoch = useSyncExternalStore(userEpoch.subscribe, userEpoch.get);
  return <SingleThread key={`${epoch} ${id}`} id={id} isStored={threadId !== undefined} {...rest} />;
}

function SingleThread({
  id,
  isStored,
  sharing,
  choice,
  compared,
  onCompared,
  onThreadCreated,
  children,
}: Omit<Props, "threadId"> & { id: string; isStored: boolean }) {
  const services = useServices();
  const [thread] = useState(() => createThreadStore(services, id));
  const isNew = !(thread.hasStarted.use() || isStored);
  const stored = useThreadBranch(id, !isNew);
  const branch = { ...stored, messages: useRemaining(stored.messages) };
  const { facts, messages, repository } = useVisibleBranch(branch.messages);
  const last = messages.at(-1);
  const isActive = last?.role === "assistant" && isOpen(last.status.type);
  // The end of an answer and the start of the next queued one arrive separately. Between them the thread is still running.
  const hasEndedWell =
    last?.role === "assistant" &&
    (last.status.type === "complete" ||
      (last.status.type === "incomplete" && last.status.reason === "cancelled"));
  const isRunning =
    isActive ||
    (hasEndedWell && branch.queue.some(({ isHeld, outboxEntry }) => !isHeld && outboxEntry === undefined));
  // Nothing can be sent below a message that cannot be sent.
  const isStuck = branch.messages.some(
    ({ outboxEntry }) => outboxEntry?.state === "failed" && outboxEntry.failure?.retry !== true,
  );
  const lastVisible = branch.messages.at(-1);
  const comparisonId = lastVisible?.row.made_by?.comparison_id;
  const isComparing = comparisonId !== undefined;
  // Until the server has them, the answers have no ids to continue from.
  const isSendingComparison = lastVisible?.outboxEntry?.comparison !== undefined;
  const newDraft = choice.temporary === true ? temporaryDraft : draftOf(undefined);
  const draft = isNew ? newDraft : draftOf(id);
  const attachments = useAttachmentAdapter(draft);
  useLayoutEffect(() =>
    thread.update({
      branch,
      isRunning,
      choice,
      compared,
      comparisonId,
      isNew,
      draft,
      onCompared,
      onThreadCreated,
    }),
  );

  const isLoading = branch.state === "loading";
  const isSendDisabled =
    isStuck ||
    isComparing ||
    isSendingComparison ||
    sharing?.access === "read" ||
    isLoading ||
    branch.state === "missing";
  // assistant-ui reads all messages of another adapter again, so it gets the same one while its fields are the same.
  const adapter = useMemo(
    (): ExternalStoreAdapter => ({
      messageRepository: repository,
      isRunning,
      isLoading,
      isSendDisabled,
      adapters: { attachments },
      ...thread.handlers,
    }),
    [repository, isRunning, isLoading, isSendDisabled, attachments, thread],
  );
  const runtime = useExternalStoreRuntime(adapter);
  useDraft(runtime, draft);
  useRestoredAttachments(runtime, draft);

  const { messages: _, ...shown } = branch;
  // Every message uses it. Neither a run nor its answer changes it.
  const view: OpenThread = thread.reuse({
    ...shown,
    ...thread.actions,
    threadId: id,
    access: sharing?.access ?? "owner",
    isShared: sharing !== undefined,
    isComparing,
    stopFailure: thread.stopFailure.use(),
  });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <VisibleFactsContext value={facts}>
        <OpenThreadContext value={view}>{children}</OpenThreadContext>
      </VisibleFactsContext>
    </AssistantRuntimeProvider>
  );
}

/** Whether the run is active or waits for the person: it can be stopped, and new messages are queued. */
function isOpen(status: string): boolean {
  return status === "running" || status === "requires-action";
}
