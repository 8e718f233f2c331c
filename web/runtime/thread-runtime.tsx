import { AssistantRuntimeProvider, useExternalStoreRuntime } from "@assistant-ui/react";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import type { Thread } from "#contract/endpoints/threads.ts";
import { newId } from "#contract/ids.ts";
import { useThreadBranch } from "#web/data/threads/branch.ts";
import { createBranchActions, type BranchActions } from "#web/data/threads/branch-actions.ts";
import { createComparisonActions, type ComparisonActions } from "#web/data/threads/comparisons.ts";
import { useRemaining } from "#web/data/threads/removals.ts";
import { draftOf, draftOfEdit } from "#web/data/drafts/draft.ts";
import { temporaryDraft } from "#web/data/drafts/temporary-storage.ts";
import type { Failure } from "#web/data/failure.ts";
import type { AssistantChoice, ComparedModels } from "#web/data/outbox/outbox-entry.ts";
import { useServices } from "#web/data/provider.tsx";
import { VisibleFactsContext } from "#web/data/threads/message-facts-context.ts";
import { createAdapter } from "./adapter.ts";
import { useAttachmentAdapter, useRestoredAttachments } from "./attachments.ts";
import { OpenThreadContext, type OpenThread } from "./open-thread.ts";
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
  const [hasStarted, setHasStarted] = useState(isStored);
  const stored = useThreadBranch(id, isStored || hasStarted);
  const branch = { ...stored, messages: useRemaining(stored.messages) };
  const actions = useMemo(() => createBranchActions(services, id), [services, id]);
  const comparisons = useMemo(() => createComparisonActions(services, id), [services, id]);
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
  const [stopFailure, setStopFailure] = useState<Failure>();
  const [wasRunning, setWasRunning] = useState(isRunning);
  if (wasRunning !== isRunning) {
    setWasRunning(isRunning);
    setStopFailure(undefined);
  }

  const newDraft = choice.temporary === true ? temporaryDraft : draftOf(undefined);
  const draft = isStored || hasStarted ? draftOf(id) : newDraft;
  const attachments = useAttachmentAdapter(draft);
  const { uploads, drafts } = services;

  const adapter = useMemo(
    () =>
      createAdapter({
        attachments,
        onSent(text, attachmentIds, editedId) {
          drafts.sent(editedId === undefined ? draft : draftOfEdit(editedId), text);
          for (const id of attachmentIds) uploads.remove(id);
        },
        visible: branch.messages,
        repository,
        isRunning,
        onStopFailure: setStopFailure,
        isLoading: branch.state === "loading",
        isSendDisabled:
          isStuck ||
          isComparing ||
          isSendingComparison ||
          sharing?.access === "read" ||
          branch.state === "loading" ||
          branch.state === "missing",
        choice,
        actions,
        compared,
        comparisons,
        comparisonId,
        onCompared,
        newThread: !isStored && !hasStarted,
        onThreadCreated() {
          setHasStarted(true);
          onThreadCreated(id);
        },
      }),
    [
      branch.messages,
      branch.state,
      repository,
      isRunning,
      isStuck,
      isComparing,
      isSendingComparison,
      sharing?.access,
      choice,
      actions,
      compared,
      comparisons,
      comparisonId,
      onCompared,
      isStored,
      hasStarted,
      onThreadCreated,
      id,
      attachments,
      uploads,
      drafts,
      draft,
    ],
  );
  const runtime = useExternalStoreRuntime(adapter);
  useDraft(runtime, draft);
  useRestoredAttachments(runtime, draft);

  const view = useOpenThreadOf(
    id,
    branch,
    actions,
    comparisons.choose,
    { isComparing, access: sharing?.access ?? "owner", isShared: sharing !== undefined },
    stopFailure,
  );
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

/** The same object until a field changes, because every message uses it. Neither a run nor its answer changes it. */
function useOpenThreadOf(
  threadId: string,
  branch: ReturnType<typeof useThreadBranch>,
  actions: BranchActions,
  chooseAnswer: ComparisonActions["choose"],
  { isComparing, access, isShared }: Pick<OpenThread, "isComparing" | "access" | "isShared">,
  stopFailure: Failure | undefined,
): OpenThread {
  const { state, failure, hasEarlier, isLoadingEarlier, queue, summary } = branch;
  const latest = useRef(branch);
  useEffect(() => {
    latest.current = branch;
  });
  return useMemo(
    () => ({
      state,
      ...(failure === undefined ? {} : { failure }),
      hasEarlier,
      isLoadingEarlier,
      threadId,
      access,
      isShared,
      isComparing,
      chooseAnswer,
      stopRun: actions.stop,
      queue,
      summary,
      queueActions: actions.queue,
      ...(stopFailure === undefined ? {} : { stopFailure }),
      retrySend: actions.retrySend,
      continueRun: actions.continueRun,
      rate: actions.rate,
      pin: actions.pin,
      remove: actions.remove,
      copyBranch: actions.copyBranch,
      showMessage: actions.showMessage,
      regenerateWith(replyId, choice) {
        const parentId = latest.current.messages.find(({ row }) => row.id === replyId)?.row.parent_id;
        if (parentId != null) actions.regenerate({ parentId, choice: { ...choice, once: true } });
      },
      summaries: actions.summaries,
      loadEarlier: (limit) => latest.current.loadEarlier(limit),
      retry: () => latest.current.retry(),
    }),
    [
      state,
      failure,
      hasEarlier,
      isLoadingEarlier,
      queue,
      summary,
      stopFailure,
      actions,
      threadId,
      access,
      isShared,
      isComparing,
      chooseAnswer,
    ],
  );
}
