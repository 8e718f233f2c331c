import { useEffect, useRef, useState } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import ArrowUp from "lucide-react/icons/arrow-up";
import Square from "lucide-react/icons/square";
import { useStorageState } from "#web/data/drafts/device-storage.ts";
import type { StorageState } from "#web/data/drafts/safe-storage.ts";
import type { Failure } from "#web/data/failure.ts";
import { useSession } from "#web/data/session/session.ts";
import { useThreadView } from "#web/runtime/thread-runtime.tsx";
import { IconButton } from "#web/ui/button.tsx";
import { useMediaQuery } from "#web/lib/use-media-query.ts";
import { t } from "#web/i18n/translate.ts";
import { AttachButton } from "./attach-button.tsx";
import { Attachments } from "./attachments.tsx";
import { DropZone } from "./drop-zone.tsx";
import { ComposerInput, touchOnly } from "./input.tsx";
import type { AssistantAndModel } from "./use-assistant-and-model.ts";
import { AssistantPicker, EffortPicker, ReplacementNote } from "./assistant-picker.tsx";
import { Compare, ComparedNote } from "./compare.tsx";
import { ContextGauge } from "./context-gauge/context-gauge.tsx";
import { attachmentState, type AttachmentState } from "./attachment-state.ts";
import styles from "./composer.module.css";

/** The form for a new message. While an answer streams, it has a stop button, and sent messages are queued. */
export function Composer({ isReply, selection }: { isReply: boolean; selection: AssistantAndModel }) {
  const aui = useAui();
  const isRunning = useAuiState((s) => s.thread.isRunning);
  const isEmpty = useAuiState((s) => s.composer.isEmpty);
  const files = useAuiState((s) => attachmentState(s.composer.attachments));
  const canSend = useAuiState((s) => s.composer.canSend && !s.composer.isEmpty) && files === "ready";
  const { stopFailure, isComparing } = useThreadView();
  const isAsking = useAuiState((s) => s.thread.messages.at(-1)?.status?.type === "requires-action");
  const session = useSession();
  const storageState = useStorageState();
  const form = useRef<HTMLFormElement>(null);
  const isTouch = useMediaQuery(touchOnly);
  useEffect(() => {
    // The pressed button, such as a starter, is gone, so the field takes the focus.
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isRunning && isLost && !isTouch)
      form.current?.querySelector("textarea")?.focus({ preventScroll: true });
  }, [isRunning, isAsking, isTouch]);
  const focus = () => form.current?.querySelector("textarea")?.focus({ preventScroll: true });

  const [isChoosing, setChoosing] = useState(false);
  const { send, cancelPendingSend } = useSend(canSend, isEmpty, files);
  return (
    <>
      <form
        ref={form}
        data-single={!selection.hasAlternatives || undefined}
        className={styles["composer"]}
        onSubmit={(event) => {
          event.preventDefault();
          send();
          focus();
        }}
        onPointerDown={(event) => {
          // A press on the background focuses the field.
          if (
            event.target instanceof Element &&
            event.target.closest("button, textarea, ul, section") === null
          ) {
            event.preventDefault();
            focus();
          }
        }}
      >
        <Attachments />
        <DropZone />
        <ComposerInput
          label={t("composer.label")}
          placeholder={t(
            isComparing
              ? "compare.placeholder"
              : isReply
                ? "composer.placeholderReply"
                : "composer.placeholder",
          )}
          describedBy="composer-note"
          autoFocus
          onSend={send}
          onType={cancelPendingSend}
        />
        <ReplacementNote selection={selection} />
        <ComparedNote selection={selection} />
        <div className={styles["bar"]}>
          <AssistantPicker selection={selection} onCompare={() => setChoosing(true)} />
          <EffortPicker selection={selection} />
          <p id="composer-note" role="status" className={styles["note"]}>
            {session.state === "failed"
              ? (session.error?.message ?? t("composer.closed"))
              : noteText(files, stopFailure, isEmpty ? "kept" : storageState)}
          </p>
          {session.state === "failed" && (
            <button type="button" className={styles["retry"]} onClick={session.retry}>
              {t("action.retry")}
            </button>
          )}
          <div className={styles["buttons"]}>
            <ContextGauge selection={selection} />
            <AttachButton />
            {isRunning && (
              <IconButton
                icon={Square}
                size={13}
                label={t("action.stop")}
                keys={t("key.escape")}
                className={styles["stop"]}
                onClick={() => {
                  aui.thread.cancelRun();
                  focus();
                }}
              />
            )}
            {(!isRunning || canSend) && (
              <IconButton
                icon={ArrowUp}
                type="submit"
                label={t(isRunning ? "composer.queue" : "action.send")}
                disabled={!canSend}
                className={styles["send"]}
              />
            )}
          </div>
        </div>
      </form>
      {isChoosing && <Compare selection={selection} onClose={() => setChoosing(false)} />}
    </>
  );
}

/**
 * Sends the message. The runtime checks its current state, because `canSend` lags one render behind the last key. While
 * the thread cannot accept a message, for example during loading, `send` is postponed until it can. Typing cancels it.
 */
function useSend(
  canSend: boolean,
  isEmpty: boolean,
  files: AttachmentState,
): { send: () => void; cancelPendingSend: () => void } {
  const aui = useAui();
  const isSendPending = useRef(false);
  useEffect(() => {
    if (isEmpty) isSendPending.current = false;
    if (!canSend || !isSendPending.current) return;
    isSendPending.current = false;
    sendMessage(aui);
  }, [aui, canSend, isEmpty]);
  return {
    send() {
      if (files !== "ready") return;
      isSendPending.current = true;
      sendMessage(aui);
    },
    cancelPendingSend: () => void (isSendPending.current = false),
  };
}

/** Without attachments, the request is sent before React renders the empty field. `composer.send` renders it first. */
function sendMessage(aui: ReturnType<typeof useAui>): void {
  const { text, attachments, canSend, isEmpty } = aui.composer.getState();
  if (attachments.length > 0) return aui.composer.send();
  if (!canSend || isEmpty) return;
  aui.thread.append(text);
  aui.composer.setText("");
}

function noteText(
  files: AttachmentState,
  stopFailure: Failure | undefined,
  storageState: StorageState,
): string | undefined {
  if (stopFailure !== undefined) return t("composer.unstopped", { reason: stopFailure.message });
  if (files === "failed") return t("attach.failed");
  if (files === "uploading") return t("attach.notYet");
  return storageState === "kept"
    ? undefined
    : t(storageState === "full" ? "composer.full" : "composer.forbidden");
}
