import { AssistantRuntimeProvider, useExternalStoreRuntime } from "@assistant-ui/react";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { newId } from "#contract/ids.ts";
import { useThreadBranch } from "#web/data/threads/branch.ts";
import { createBranchDeeds, type BranchDeeds } from "#web/data/threads/branch-actions.ts";
import { draftOf, draftOfEdit } from "#web/data/drafts/draft.ts";
import type { Failure } from "#web/data/failure.ts";
import type { AssistantChoice } from "#web/data/outbox/outbox-entry.ts";
import { useServices } from "#web/data/provider.tsx";
import { ShownFactsContext } from "#web/data/threads/reply.ts";
import { createAdapter } from "./adapter.ts";
import { useAttachmentAdapter, useKeptAttachments } from "./attachments.ts";
import { SiblingsContext, ThreadViewContext, type ThreadView } from "./thread-view.ts";
import { useDraft } from "./use-draft.ts";
import { useShown } from "./use-visible-branch.ts";

export { useThreadView } from "./thread-view.ts";

type Props = {
  /** Absent for the new chat: its thread comes into being with the first message. */
  threadId: string | undefined;
  /** Who is to answer; the same object until that changes. */
  choice: AssistantChoice;
  /** The new chat has become this thread, which is on its way to the service. */
  onThreadMade: (id: string) => void;
  children: ReactNode;
};

/**
 * assistant-ui's runtime over our own data: everything that its primitives do in `children` is done in this thread. A
 * new chat keeps its runtime when it becomes a thread; another thread gets another, and so does another person.
 */
export function ThreadRuntime({ threadId, ...rest }: Props) {
  const [minted, setMinted] = useState(() => newId("thread"));
  const [before, setBefore] = useState(threadId);
  if (before !== threadId) {
    setBefore(threadId);
    if (threadId === undefined) setMinted(newId("thread"));
  }
  const id = threadId ?? minted;
  const { userEpoch } = useServices();
  const epoch = useSyncExternalStore(userEpoch.subscribe, userEpoch.get);
  return <OneThread key={`${epoch} ${id}`} id={id} given={threadId !== undefined} {...rest} />;
}

function OneThread({
  id,
  given,
  choice,
  onThreadMade,
  children,
}: Omit<Props, "threadId"> & { id: string; given: boolean }) {
  const services = useServices();
  const [begun, setBegun] = useState(given);
  const branch = useThreadBranch(id, given || begun);
  const deeds = useMemo(() => createBranchDeeds(services, id), [services, id]);
  const { facts, siblings, messages, repository } = useShown(branch.messages, deeds);
  const last = messages.at(-1);
  const isWritten = last?.role === "assistant" && isOpen(last.status.type);
  // Between an answer's end and the news of the next one's begin, which come from two sides, nothing is at rest.
  const hasEndedWell =
    last?.role === "assistant" &&
    (last.status.type === "complete" ||
      (last.status.type === "incomplete" && last.status.reason === "cancelled"));
  const isRunning =
    isWritten || (hasEndedWell && branch.waiting.some(({ isHeld, out }) => !isHeld && out === undefined));
  // Nothing goes below a message that can never go.
  const isStuck = branch.messages.some(({ out }) => out?.state === "failed" && out.failure?.retry !== true);
  const [stopFailure, setStopFailure] = useState<Failure>();
  useEffect(() => setStopFailure(undefined), [isRunning]);

  const draft = draftOf(given || begun ? id : undefined);
  const attachments = useAttachmentAdapter(draft);
  const { uploads, drafts } = services;

  const adapter = useMemo(
    () =>
      createAdapter({
        attachments,
        sent(words, ids, edited) {
          drafts.sent(edited === undefined ? draft : draftOfEdit(edited), words);
          for (const sent of ids) uploads.remove(sent);
        },
        shown: branch.messages,
        repository,
        isRunning,
        stopFailed: setStopFailure,
        isLoading: branch.state === "loading",
        isSendDisabled: isStuck || branch.state === "loading" || branch.state === "missing",
        choice,
        deeds,
        newThread: !given && !begun,
        made() {
          setBegun(true);
          onThreadMade(id);
        },
      }),
    [
      branch.messages,
      branch.state,
      repository,
      isRunning,
      isStuck,
      choice,
      deeds,
      given,
      begun,
      onThreadMade,
      id,
      attachments,
      uploads,
      drafts,
      draft,
    ],
  );
  const runtime = useExternalStoreRuntime(adapter);
  useDraft(runtime, draft);
  useKeptAttachments(runtime, draft);

  const view = useThreadViewOf(branch, deeds, isRunning, stopFailure);
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ShownFactsContext value={facts}>
        <SiblingsContext value={siblings}>
          <ThreadViewContext value={view}>{children}</ThreadViewContext>
        </SiblingsContext>
      </ShownFactsContext>
    </AssistantRuntimeProvider>
  );
}

/** Being written, or waiting for the person: it can be stopped, and what is said meanwhile waits. */
function isOpen(status: string): boolean {
  return status === "running" || status === "requires-action";
}

/** The same object until something of it changes: a frame of a running answer changes nothing of it. */
function useThreadViewOf(
  branch: ReturnType<typeof useThreadBranch>,
  deeds: BranchDeeds,
  isRunning: boolean,
  stopFailure: Failure | undefined,
): ThreadView {
  const { state, failure, hasEarlier, isLoadingEarlier, waiting } = branch;
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
      isRunning,
      waiting,
      deedsOfWaiting: deeds.waiting,
      ...(stopFailure === undefined ? {} : { stopFailure }),
      sendAgain: deeds.sendAgain,
      goOn: deeds.goOn,
      rate: deeds.rate,
      show: deeds.show,
      loadEarlier: () => latest.current.loadEarlier(),
      retry: () => latest.current.retry(),
    }),
    [state, failure, hasEarlier, isLoadingEarlier, isRunning, waiting, stopFailure, deeds],
  );
}
