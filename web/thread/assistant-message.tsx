import { useAui, useAuiState } from "@assistant-ui/react";
import type { Failure } from "#web/data/failure.ts";
import { type ReplyView, useReply } from "#web/data/reply.ts";
import { Sources } from "#web/parts/source.tsx";
import { Pulse } from "#web/ui/pulse.tsx";
import { t } from "#web/words/words.ts";
import { MessageActions } from "./message-actions.tsx";
import { MessageParts } from "./message-parts.tsx";
import { Trouble } from "./trouble.tsx";
import { useSources } from "./sources.ts";
import styles from "./message.module.css";

/** An answer: on the page, without a bubble. */
export function AssistantMessage() {
  const id = useAuiState((s) => s.message.id);
  const isLast = useAuiState((s) => s.message.isLast);
  const isEmpty = useAuiState((s) => s.message.parts.length === 0);
  const isRunning = useAuiState((s) => s.message.status?.type === "running");
  const reply = useReply(id);
  const sources = useSources();
  return (
    <article
      data-message-id={id}
      aria-label={t("message.assistant")}
      aria-busy={isRunning}
      className={styles["assistant"]}
    >
      <MessageParts role="assistant" />
      {isRunning && (isEmpty || reply?.isWaiting === true) && <Waiting />}
      <Sources sources={sources} />
      {!isRunning && <Ending reply={reply} />}
      {isRunning ? (
        <div className={styles["actionsRoom"]} />
      ) : (
        <MessageActions role="assistant" isLast={isLast} />
      )}
    </article>
  );
}

/** Someone is at it: there at once, before the first word. */
export function Waiting() {
  return (
    <p className={styles["waiting"]}>
      <Pulse />
      <span className="unseen">{t("reply.waiting")}</span>
    </p>
  );
}

/** How an answer ended, where it did not end well: what happened, and the one thing that helps. */
function Ending({ reply }: { reply: ReplyView | undefined }) {
  const aui = useAui();
  const isBusy = useAuiState((s) => s.thread.isRunning);
  if (reply === undefined || reply.status.type !== "incomplete") return null;
  const tryAgain = isBusy ? undefined : { label: t("reply.tryAgain"), run: () => aui.message.reload() };
  switch (reply.status.reason) {
    case "cancelled":
      return <p className={styles["quiet"]}>{t("reply.stopped")}</p>;
    case "length":
      return <p className={styles["quiet"]}>{t("reply.length")}</p>;
    case "interrupted":
      return <Trouble tone="quiet" text={t("reply.interrupted")} action={tryAgain} />;
    case "content-filter":
      return <Trouble tone="quiet" text={reply.failure?.message ?? t("reply.filtered")} action={tryAgain} />;
    default:
      return (
        <Trouble text={messageOf(reply.failure)} requestId={reply.failure?.requestId} action={tryAgain} />
      );
  }
}

function messageOf(failure: Failure | undefined): string {
  return failure?.message ?? t("reply.failed");
}
