import { useAui, useAuiState } from "@assistant-ui/react";
import Play from "lucide-react/icons/play";
import { failureOf } from "#web/data/failure.ts";
import { type ReplyView, useReply } from "#web/data/threads/reply.ts";
import { Sources } from "#web/parts/source.tsx";
import { unreadFilesOf } from "#web/parts/file/unread-files.tsx";
import { useThreadView } from "#web/runtime/thread-runtime.tsx";
import { Pulse } from "#web/ui/pulse.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { endingText } from "./ending-text.ts";
import { Byline, AuthorNotes } from "./made-by.tsx";
import { MessageActions } from "./message-actions.tsx";
import { MessageParts } from "./message-parts.tsx";
import { FailureNotice } from "./failure-notice.tsx";
import { useSources } from "./sources.ts";
import styles from "./message.module.css";

/** An answer, without a bubble. */
export function AssistantMessage() {
  const id = useAuiState((s) => s.message.id);
  const isLast = useAuiState((s) => s.message.isLast);
  // The list of unread files is not part of the answer.
  const isEmpty = useAuiState((s) => s.message.parts.every((part) => unreadFilesOf(part) !== undefined));
  const isRunning = useAuiState((s) => s.message.status?.type === "running");
  const isOpen = useAuiState((s) => s.message.status?.type === "requires-action") || isRunning;
  const reply = useReply(id);
  const sources = useSources();
  return (
    <article data-message-id={id} aria-busy={isRunning} className={styles["assistant"]}>
      <Byline messageId={id} />
      <MessageParts role="assistant" />
      {isRunning && (isEmpty || reply?.isWaiting === true) && <Waiting />}
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
      <Pulse />
      <span className="unseen">{t("reply.waiting")}</span>
    </p>
  );
}

/** Why an answer is incomplete, with an action to continue or retry. */
function Ending({ reply, isEmpty }: { reply: ReplyView | undefined; isEmpty: boolean }) {
  const aui = useAui();
  const { continueRun: goOn } = useThreadView();
  const isBusy = useAuiState((s) => s.thread.isRunning);
  const words = reply && endingText(reply);
  if (words === undefined || reply?.status.type !== "incomplete") return null;
  const tryAgain = isBusy ? undefined : { label: t("action.retry"), run: () => aui.message.reload() };
  // An answer with text can be continued; an empty one is generated again.
  const continueOrTryAgain =
    isBusy || isEmpty || reply.runId === undefined ? tryAgain : continueAction(reply.runId, goOn);
  switch (reply.status.reason) {
    case "cancelled":
    case "length":
    case "interrupted":
      return <FailureNotice tone="quiet" text={words} action={continueOrTryAgain} />;
    case "content-filter":
      return <FailureNotice tone="quiet" text={words} action={tryAgain} />;
    default:
      return <FailureNotice text={words} requestId={reply.failure?.requestId} action={continueOrTryAgain} />;
  }
}

function continueAction(runId: string, goOn: (runId: string) => Promise<void>) {
  return {
    label: t("reply.continue"),
    icon: Play,
    run: () =>
      void goOn(runId).catch((error: unknown) => showToast(failureOf(error).message, { tone: "loss" })),
  };
}
