import { useEffect, useRef } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import ArrowUp from "lucide-react/icons/arrow-up";
import Square from "lucide-react/icons/square";
import { useStorageState } from "#web/data/drafts/device-storage.ts";
import type { StorageState } from "#web/data/drafts/safe-storage.ts";
import type { Failure } from "#web/data/failure.ts";
import { useSession } from "#web/data/session/session.ts";
import { loadHighlighter } from "#web/markdown/highlighter-loading.ts";
import { loadRenderer } from "#web/markdown/lazy-markdown.ts";
import { useThreadView } from "#web/runtime/thread-runtime.tsx";
import { IconButton } from "#web/ui/button.tsx";
import { useMedia } from "#web/lib/use-media-query.ts";
import { t } from "#web/i18n/translate.ts";
import { AttachButton } from "./attach-button.tsx";
import { Attachments } from "./attachments.tsx";
import { DropZone } from "./drop-zone.tsx";
import { ComposerInput, touchOnly } from "./input.tsx";
import type { Answerer } from "./answerer.ts";
import { AnswererPicker, GoneNote } from "./answerer-picker.tsx";
import { attachmentState, type AttachmentState } from "./attachment-state.ts";
import styles from "./composer.module.css";

/** Where a person writes to the thread. While an answer is written it can be stopped here, and what is sent waits. */
export function Composer({ isReply, answerer }: { isReply: boolean; answerer: Answerer }) {
  const aui = useAui();
  const isRunning = useAuiState((s) => s.thread.isRunning);
  const isEmpty = useAuiState((s) => s.composer.isEmpty);
  const files = useAuiState((s) => attachmentState(s.composer.attachments));
  const canSend = useAuiState((s) => s.composer.canSend && !s.composer.isEmpty) && files === "ready";
  const { stopFailure } = useThreadView();
  const isAsking = useAuiState((s) => s.thread.messages.at(-1)?.status?.type === "requires-action");
  const session = useSession();
  const storageState = useStorageState();
  const form = useRef<HTMLFormElement>(null);
  const isTouch = useMedia(touchOnly);
  useEffect(() => {
    // Whatever was pressed to ask is gone by now; one goes on writing here.
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isRunning && isLost && !isTouch)
      form.current?.querySelector("textarea")?.focus({ preventScroll: true });
  }, [isRunning, isAsking, isTouch]);
  const focus = () => form.current?.querySelector("textarea")?.focus({ preventScroll: true });

  const { send, forgetSend } = useSend(canSend, isEmpty, files);
  return (
    <form
      ref={form}
      data-single={!answerer.isChoice || undefined}
      className={styles["composer"]}
      onSubmit={(event) => {
        event.preventDefault();
        send();
        focus();
      }}
      onPointerDown={(event) => {
        // The whole sheet is the field: a press on its paper puts the cursor there.
        if (event.target instanceof Element && event.target.closest("button, textarea, ul") === null) {
          event.preventDefault();
          focus();
        }
      }}
    >
      <Attachments />
      <DropZone />
      <ComposerInput
        label={t("composer.label")}
        placeholder={t(isReply ? "composer.placeholderReply" : "composer.placeholder")}
        describedBy="composer-note"
        takesFocus
        onSend={send}
        onType={forgetSend}
        onFocus={() => void loadRenderer().then(loadHighlighter)}
      />
      <GoneNote answerer={answerer} />
      <div className={styles["bar"]}>
        <AnswererPicker answerer={answerer} />
        <p id="composer-note" role="status" className={styles["note"]}>
          {session.state === "failed"
            ? (session.error?.message ?? t("composer.closed"))
            : noteOf(files, stopFailure, isEmpty ? "kept" : storageState)}
        </p>
        {session.state === "failed" && (
          <button type="button" className={styles["retry"]} onClick={session.retry}>
            {t("failure.retry")}
          </button>
        )}
        <div className={styles["buttons"]}>
          <AttachButton />
          {isRunning && (
            <IconButton
              icon={Square}
              size={13}
              label={t("composer.stop")}
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
              label={t(isRunning ? "composer.queue" : "composer.send")}
              disabled={!canSend}
              className={styles["send"]}
            />
          )}
        </div>
      </div>
    </form>
  );
}

/**
 * Sends what the composer holds. The runtime decides by its current state, because `canSend` lags a render behind the
 * last key. While the thread cannot take a message yet, such as during loading, `send` is kept and carried out as soon
 * as it can; typing on cancels it.
 */
function useSend(
  canSend: boolean,
  isEmpty: boolean,
  files: AttachmentState,
): { send: () => void; forgetSend: () => void } {
  const aui = useAui();
  const isWanted = useRef(false);
  useEffect(() => {
    if (isEmpty) isWanted.current = false;
    if (!canSend || !isWanted.current) return;
    isWanted.current = false;
    aui.composer.send();
  }, [aui, canSend, isEmpty]);
  return {
    send() {
      if (files !== "ready") return;
      isWanted.current = true;
      aui.composer.send();
    },
    forgetSend: () => void (isWanted.current = false),
  };
}

function noteOf(
  files: AttachmentState,
  stopFailure: Failure | undefined,
  storageState: StorageState,
): string | undefined {
  if (stopFailure !== undefined) return t("composer.unstopped", { reason: stopFailure.message });
  if (files === "failed") return t("attach.failed");
  if (files === "coming") return t("attach.notYet");
  return storageState === "kept"
    ? undefined
    : t(storageState === "full" ? "composer.full" : "composer.forbidden");
}
