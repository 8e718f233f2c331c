import { useContext, useEffect, useMemo, useRef } from "react";
import { useAuiState } from "@assistant-ui/react";
import { useEarlierAnswers } from "#web/data/answers/earlier-answers.ts";
import { useOriginalAnswers } from "#web/data/answers/original-answers.ts";
import { usePartsOfCompared } from "#web/data/threads/comparisons.ts";
import { useLatestReply } from "#web/data/answers/latest-reply.ts";
import { VisibleFactsContext } from "#web/data/threads/message-facts-context.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import type { Artifact } from "#contract/artifacts/artifacts.ts";
import { artifactsOf } from "#web/markdown/code/artifacts.ts";
import { textsOf } from "#web/parts/tool-call/written-artifact.ts";
import type { PanelSearch } from "./panel-search.ts";

/** Some earlier versions are not there: they could not be read and can be read again, or they are too far above. */
export type MissingVersions = { retry?: () => void };

/**
 * The artifacts of the visible branch, with the text of an answer that is still streaming and the versions before each
 * edit. Of messages that are not loaded, only versions of artifacts that also occur in loaded ones are included;
 * `isReading` until those are read. In a comparison (`isCompared`), only the artifacts of that answer.
 */
export function useArtifacts(
  threadId: string,
  { panel, v }: PanelSearch,
): {
  artifacts: Artifact[];
  isCompared: boolean;
  isReading: boolean;
  missing: MissingVersions | undefined;
} {
  const { isComparing, hasEarlier } = useOpenThread();
  const messages = useAuiState((s) => s.thread.messages);
  const facts = useContext(VisibleFactsContext);
  const last = messages.at(-1);
  const runId =
    last?.role === "assistant" && last.status?.type === "running"
      ? facts.get().get(last.id)?.runId
      : undefined;
  const latest = useLatestReply(runId, ({ parts }) => parts);
  const { originals, ...ofOriginals } = useOriginalAnswers(threadId);
  const answerId = v?.split(".")[0];
  const compared = usePartsOfCompared(threadId, isComparing ? answerId : undefined);
  const answers = useMemo(
    () =>
      compared !== undefined && answerId !== undefined
        ? [{ messageId: answerId, texts: textsOf(compared, { isRunning: true }) }]
        : messages
            .filter(({ role }) => role === "assistant")
            .map((message) => {
              const live = message === last ? latest : undefined;
              return {
                messageId: message.id,
                texts: textsOf(live ?? message.parts, { isRunning: live !== undefined }),
                originals: originals.get(message.id),
              };
            }),
    [messages, last, latest, originals, compared, answerId],
  );
  const loaded = useMemo(() => artifactsOf(answers), [answers]);
  const isCompared = compared !== undefined;
  const isOpen = !isCompared && loaded.some(({ key }) => key === panel);
  const first = messages[0];
  const height = Number(first?.metadata.custom["messagesAbove"]);
  const {
    answers: earlier,
    isReading,
    ...ofEarlier
  } = useEarlierAnswers(
    threadId,
    hasEarlier && isOpen && first !== undefined ? { id: first.id, height } : undefined,
  );
  const artifacts = useMemo(
    () => (earlier.length === 0 ? loaded : artifactsOf([...earlier, ...answers])),
    [earlier, loaded, answers],
  );
  const isIncomplete = ofOriginals.isReading && !isCompared;
  const retry = ofEarlier.retry ?? ofOriginals.retry;
  return {
    artifacts: useLastCompleteArtifacts(threadId, artifacts, isIncomplete),
    isCompared,
    isReading,
    missing: isCompared ? undefined : retry !== undefined ? { retry } : ofEarlier.isCut ? {} : undefined,
  };
}

/**
 * Keeps the last complete list while versions are loading. Otherwise the panel would close for a moment when another
 * tab renames an artifact, and lose its program or draft.
 */
function useLastCompleteArtifacts(
  threadId: string,
  artifacts: Artifact[],
  isIncomplete: boolean,
): Artifact[] {
  const complete = useRef<{ threadId: string; artifacts: Artifact[] }>(undefined);
  useEffect(() => {
    if (!isIncomplete) complete.current = { threadId, artifacts };
  }, [threadId, artifacts, isIncomplete]);
  const before = complete.current;
  return isIncomplete && before?.threadId === threadId ? before.artifacts : artifacts;
}
