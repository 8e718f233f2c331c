import { type RefObject, useEffect, useRef, useState } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import ArrowUp from "lucide-react/icons/arrow-up";
import Square from "lucide-react/icons/square";
import { useStorageState } from "#web/data/drafts/device-storage.ts";
import type { StorageState } from "#web/data/drafts/safe-storage.ts";
import type { Failure } from "#web/data/failure.ts";
import { useTypingSignal } from "#web/data/shares/typing-signal.ts";
import { useSession } from "#web/data/session/session.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { IconButton } from "#web/ui/button.tsx";
import { touchOnly, useMediaQuery } from "#web/lib/use-media-query.ts";
import { t } from "#web/i18n/translate.ts";
import { AttachButton } from "./attach-button.tsx";
import { Attachments } from "./attachment-list.tsx";
import { DropZone } from "./drop-zone.tsx";
import { ComposerInput } from "./input.tsx";
import type { AssistantAndModel } from "./use-assistant-and-model.ts";
import { useSend } from "./use-send.ts";
import { AssistantPicker, EffortPicker, SelectionNote } from "./assistant-picker.tsx";
import { composerField } from "./focus-composer.ts";
import { LazyBudgetNote } from "./budget/lazy-budget-note.tsx";
import { Compare, LazyComparedNote } from "./compare.tsx";
import { ContextGauge } from "./context-gauge/context-gauge.tsx";
import { isLongPaste, LazyPasteNote } from "./paste/lazy-paste-note.tsx";
import { LazyDictation } from "./dictation/lazy-dictation.tsx";
import { LazySlashMenu } from "./slash/lazy-slash-menu.tsx";
import { attachmentState, type AttachmentState } from "./attachment-state.ts";
import styles from "./composer.module.css";

/** The form for a new message. While an answer streams, it has a stop button, and sent messages are queued. */
export function Composer({ isReply, selection }: { isReply: boolean; selection: AssistantAndModel }) {
  const isEmpty = useAuiState((s) => s.composer.isEmpty);
  const files = useAuiState((s) => attachmentState(s.composer.attachments));
  const isAccepted = useAuiState((s) => s.composer.canSend && !s.composer.isEmpty);
  const canSend = isAccepted && files === "ready";
  const { state, isComparing, threadId, access, isShared } = useOpenThread();
  const signalTyping = useTypingSignal(threadId, isShared);
  const form = useRef<HTMLFormElement>(null);
  const focus = () => focusField(form.current);
  useFocusDuringRuns(form);
  const [isChoosing, setChoosing] = useState(false);
  const [pasted, setPasted] = useState("");
  const compare = () => setChoosing(true);
  const { send, isSendPending } = useSend(canSend, state === "loading");
  return (
    <>
      {/* The keys are those of its text field. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <form
        ref={form}
        data-single={!selection.hasAlternatives || undefined}
        className={styles["composer"]}
        onSubmit={(event) => {
          event.preventDefault();
          send();
          focus();
        }}
        onPaste={(event) => {
          const text = event.clipboardData.getData("text/plain");
          if (isLongPaste(text)) setPasted(text);
        }}
        onKeyDown={(event) => {
          const { shiftKey, altKey, ctrlKey, metaKey } = event;
          if (event.key !== "ArrowUp" || shiftKey || altKey || ctrlKey || metaKey) return;
          const isInField = event.target === composerField() && !event.nativeEvent.isComposing;
          if (isInField && isEmpty && editLast()) event.preventDefault();
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
          onType={signalTyping}
        />
        <LazyPasteNote pasted={pasted} />
        <LazySlashMenu selection={selection} />
        <SelectionNote selection={selection} />
        <LazyComparedNote selection={selection} />
        <LazyBudgetNote />
        <div className={styles["bar"]}>
          <AssistantPicker selection={selection} {...(access === "owner" ? { onCompare: compare } : {})} />
          <EffortPicker selection={selection} />
          <ComposerNote files={files} isEmpty={isEmpty} isSendPending={isSendPending} />
          <div className={styles["buttons"]}>
            <LazyDictation />
            {access === "owner" && <ContextGauge selection={selection} />}
            <AttachButton />
            <SendButtons canSend={isAccepted && files !== "failed" && !isSendPending} onStop={focus} />
          </div>
        </div>
      </form>
      {isChoosing && <Compare selection={selection} reopen={compare} onClose={() => setChoosing(false)} />}
    </>
  );
}

/** Opens the field of the last sent message that is shown, if there is one. */
function editLast(): boolean {
  const button = [...document.querySelectorAll<HTMLElement>("[role='log'] [data-edit]")].at(-1);
  button?.click();
  return button !== undefined;
}

function focusField(form: HTMLFormElement | null): void {
  form?.querySelector("textarea")?.focus({ preventScroll: true });
}

/**
 * Focuses the field when a run starts or waits for the person and the pressed button is gone. After such a wait also
 * when the run ends, because the card may disappear later.
 */
function useFocusDuringRuns(form: RefObject<HTMLFormElement | null>): void {
  const isRunning = useAuiState((s) => s.thread.isRunning);
  const isAsking = useAuiState((s) => s.thread.messages.at(-1)?.status?.type === "requires-action");
  const isTouch = useMediaQuery(touchOnly);
  const hasAsked = useRef(false);
  useEffect(() => {
    if (isAsking) hasAsked.current = true;
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if ((isRunning || hasAsked.current) && isLost && !isTouch) focusField(form.current);
    if (!isRunning) hasAsked.current = false;
  }, [form, isRunning, isAsking, isTouch]);
}

/** Why the message cannot be sent or kept, if anything prevents it. */
function ComposerNote({
  files,
  isEmpty,
  isSendPending,
}: {
  files: AttachmentState;
  isEmpty: boolean;
  isSendPending: boolean;
}) {
  const session = useSession();
  const storageState = useStorageState();
  const { stopFailure } = useOpenThread();
  const isClosed = session.state === "failed";
  return (
    <>
      <p id="composer-note" role="status" className={styles["note"]}>
        {isClosed
          ? (session.error?.message ?? t("composer.closed"))
          : noteText(files, isSendPending, stopFailure, isEmpty ? "kept" : storageState)}
      </p>
      {isClosed && (
        <button type="button" className={styles["retry"]} onClick={session.retry}>
          {t("action.retry")}
        </button>
      )}
    </>
  );
}

/** Stop during a run, and send or queue. */
function SendButtons({ canSend, onStop }: { canSend: boolean; onStop: () => void }) {
  const aui = useAui();
  const isRunning = useAuiState((s) => s.thread.isRunning);
  return (
    <>
      {isRunning && (
        <IconButton
          icon={Square}
          size={13}
          label={t("action.stop")}
          keys={t("key.escape")}
          className={styles["stop"]}
          onClick={() => {
            aui.thread.cancelRun();
            onStop();
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
    </>
  );
}

function noteText(
  files: AttachmentState,
  isSendPending: boolean,
  stopFailure: Failure | undefined,
  storageState: StorageState,
): string | undefined {
  if (stopFailure !== undefined) return t("composer.unstopped", { reason: stopFailure.message });
  if (files === "failed") return t("attach.failed");
  if (files === "uploading") return t(isSendPending ? "attach.sendsThen" : "attach.notYet");
  return storageState === "kept"
    ? undefined
    : t(storageState === "full" ? "composer.full" : "composer.forbidden");
}
