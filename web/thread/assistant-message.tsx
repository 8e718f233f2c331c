import { useAuiState } from "@assistant-ui/react";
import { useConnection } from "#web/data/sync/connection.ts";
import { useReply } from "#web/data/threads/reply.ts";
import { Sources } from "#web/parts/source.tsx";
import { RunningIndicator } from "#web/ui/running-indicator.tsx";
import { t } from "#web/i18n/translate.ts";
import { Ending } from "./ending.tsx";
import { useIsAnswerEmpty } from "./is-answer-empty.ts";
import { Byline, AuthorNotes } from "./byline.tsx";
import { MessageActions } from "./message-actions.tsx";
import { MessageParts } from "./message-parts.tsx";
import { useSources } from "./sources.ts";
import styles from "./message.module.css";

/** An answer, without a bubble. `position`: the number of messages above it. */
export function AssistantMessage({ position }: { position: number }) {
  const id = useAuiState((s) => s.message.id);
  const isLast = useAuiState((s) => s.message.isLast);
  const isEmpty = useIsAnswerEmpty();
  const isRunning = useAuiState((s) => s.message.status?.type === "running");
  const isOpen = useAuiState((s) => s.message.status?.type === "requires-action") || isRunning;
  const reply = useReply(id);
  // Offline, the page receives no more of an answer, which may continue on the server.
  const isLost = useConnection() === "offline" && isRunning;
  const sources = useSources();
  return (
    <article
      data-message-id={id}
      data-position={position}
      aria-busy={isRunning}
      data-lost={isLost || undefined}
      className={styles["assistant"]}
    >
      <Byline messageId={id} />
      <MessageParts role="assistant" />
      {isLost ? (
        <p className={styles["lost"]}>{t("reply.connectionLost")}</p>
      ) : (
        isRunning && (isEmpty || reply?.isWaiting === true) && <Waiting />
      )}
      <Sources sources={sources} />
      <AuthorNotes messageId={id} />
      {!isRunning && <Ending reply={reply} isEmpty={isEmpty} />}
      {isOpen ? (
        <div className={styles["actionsRoom"]} />
      ) : (
        <MessageActions role="assistant" isLast={isLast} />
      )}
    </article>
  );
}

/** A sign that an answer is in progress, until its first text arrives. */
export function Waiting() {
  return (
    <p className={styles["waiting"]}>
      <RunningIndicator />
      <span className="unseen">{t("reply.waiting")}</span>
    </p>
  );
}
