import { useEffect } from "react";
import { useAuiState } from "@assistant-ui/react";
import { useConnection } from "#web/data/sync/connection.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { Sources } from "#web/parts/source.tsx";
import { useHasEditDraft } from "#web/runtime/use-edit-draft.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { t } from "#web/i18n/translate.ts";
import { editedAnswer } from "./answer-edit/edited-answer.ts";
import { LazyAnswerEdit } from "./answer-edit/lazy-answer-edit.tsx";
import { ArtifactOpenerProvider } from "./artifact-opener.tsx";
import { Ending } from "./ending.tsx";
import { useIsAnswerEmpty } from "./is-answer-empty.ts";
import { Byline, AuthorNotes } from "./byline.tsx";
import { MessageActions } from "./actions/message-actions.tsx";
import { MessageParts } from "./message-content.tsx";
import { useReadingTools } from "./reading-tools/lazy-reading-tools.ts";
import { SourceMarksProvider } from "./sources/source-marks-provider.tsx";
import { useSources } from "./sources/sources.ts";
import { Waiting } from "./waiting.tsx";
import styles from "./message.module.css";

/** An answer, without a bubble, or all answers of a comparison. `position`: the number of messages above it. */
export function AssistantMessage({ position }: { position: number }) {
  const id = useAuiState((s) => s.message.id);
  const isLast = useAuiState((s) => s.message.isLast);
  const comparisonId = useMessageFacts(id)?.author?.comparison_id;
  return comparisonId !== undefined && isLast ? (
    <Compared comparisonId={comparisonId} messageId={id} position={position} />
  ) : (
    <SingleAnswer position={position} />
  );
}

const comparisonView = createLazyModule(
  () => import("./comparison/comparison.tsx"),
  (module) => module.ComparisonView,
  "thread",
);

function Compared({
  comparisonId,
  messageId,
  position,
}: {
  comparisonId: string;
  messageId: string;
  position: number;
}) {
  const ComparisonView = comparisonView.use();
  useEffect(() => void comparisonView.load(), []);
  return (
    <div data-message-id={messageId} data-position={position} className={styles["assistant"]}>
      {ComparisonView === undefined || ComparisonView === "failed" ? (
        <Waiting />
      ) : (
        <ComparisonView id={comparisonId} />
      )}
    </div>
  );
}

function SingleAnswer({ position }: { position: number }) {
  const id = useAuiState((s) => s.message.id);
  const isLast = useAuiState((s) => s.message.isLast);
  const isEmpty = useIsAnswerEmpty();
  const isRunning = useAuiState((s) => s.message.status?.type === "running");
  const isOpen = useAuiState((s) => s.message.status?.type === "requires-action") || isRunning;
  const reply = useMessageFacts(id);
  // Offline, the page receives no more of an answer, which may continue on the server.
  const isLost = useConnection() === "offline" && isRunning;
  const sources = useSources();
  const isEditing = editedAnswer.use() === id;
  const hasEdit = useHasEditDraft(id);
  const parts = (
    <ArtifactOpenerProvider messageId={id}>
      <MessageParts role="assistant" />
    </ArtifactOpenerProvider>
  );
  const tools = useReadingTools();
  return (
    <article
      data-message-id={id}
      data-position={position}
      aria-busy={isRunning}
      data-last={isLast || undefined}
      data-lost={isLost || undefined}
      className={styles["assistant"]}
    >
      <Byline messageId={id} />
      <SourceMarksProvider messageId={id} sources={sources}>
        {isEditing ? <LazyAnswerEdit part="AnswerEditForm" id={id} fallback={parts} /> : parts}
        {isLost ? (
          <p className={styles["lost"]}>{t("reply.connectionLost")}</p>
        ) : (
          isRunning && isEmpty && <Waiting />
        )}
        <Sources sources={sources} />
      </SourceMarksProvider>
      <AuthorNotes messageId={id} />
      {(reply?.editedFrom !== undefined || hasEdit) && !isEditing && (
        <LazyAnswerEdit part="EditedMark" id={id} />
      )}
      {!isRunning && <Ending reply={reply} isEmpty={isEmpty} />}
      {isOpen ? (
        <div className={styles["actionsRoom"]}>
          {isRunning && !isEmpty && tools && <tools.ReadAloudButton messageId={id} />}
        </div>
      ) : (
        <MessageActions role="assistant" />
      )}
    </article>
  );
}
