import { memo, useEffect, useRef, useState } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import Pencil from "lucide-react/icons/pencil";
import Pin from "lucide-react/icons/pin";
import type { OwnFeedback } from "#web/data/threads/branch-rows.ts";
import { failureOf } from "#web/data/failure.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { useHasEditDraft } from "#web/runtime/use-edit-draft.ts";
import { Button, IconButton } from "#web/ui/button.tsx";
import { CopyButton } from "#web/ui/copy/copy-button.tsx";
import { printNumber, t } from "#web/i18n/translate.ts";
import { limits } from "#contract/limits.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { FeedbackButtons, useFeedback } from "../feedback/feedback-buttons.tsx";
import { LazyFeedbackForm } from "../feedback/lazy-feedback-form.tsx";
import { AuthorName } from "../byline.tsx";
import { LazyMessageMenu } from "./lazy-message-menu.tsx";
import { RegenerateButtons } from "./regenerate-buttons.tsx";
import { useIsAnswerEmpty } from "../is-answer-empty.ts";
import styles from "./message-actions.module.css";

/** The actions on a message: visible on hover and focus, and always on touch screens and below the last answer. */
export const MessageActions = memo(function MessageActions({ role }: { role: "user" | "assistant" }) {
  const feedback = useFeedback();
  const { access } = useOpenThread();
  const closeFeedback = (next?: OwnFeedback | null) => {
    feedback.setOpen(false);
    if (next !== undefined) feedback.give(next);
  };
  return (
    <>
      <div role="group" aria-label={t("message.actions")} data-role={role} className={styles["actions"]}>
        {role === "assistant" && <Branches />}
        {role === "user" && access !== "read" && <EditButton />}
        <CopyMessageButton />
        {access === "owner" && <PinButton />}
        {role === "assistant" && access !== "read" && <RegenerateButtons />}
        {role === "assistant" && access !== "read" && <FeedbackButtons {...feedback} />}
        <LazyMessageMenu role={role} />
        {role === "assistant" && <Author />}
        {role === "user" && <Branches />}
      </div>
      {feedback.isOpen && feedback.given !== null && (
        <LazyFeedbackForm
          given={feedback.given}
          onDone={closeFeedback}
          reopen={() => feedback.setOpen(true)}
        />
      )}
    </>
  );
});

function Author() {
  const id = useAuiState((s) => s.message.id);
  return <AuthorName messageId={id} />;
}

function CopyMessageButton() {
  const aui = useAui();
  const hasText = useAuiState((s) =>
    s.message.parts.some((part) => part.type === "text" && part.text !== ""),
  );
  return hasText && <CopyButton text={() => aui.message.getCopyText()} size={16} />;
}

function EditButton() {
  const aui = useAui();
  const hasDraft = useHasEditDraft(useAuiState((s) => s.message.id));
  const edit = () => aui.composer.beginEdit();
  return hasDraft ? (
    <Button data-edit data-kept look="plain" icon={Pencil} onClick={edit}>
      {t("message.editOn")}
    </Button>
  ) : (
    <IconButton data-edit icon={Pencil} size={16} label={t("action.edit")} onClick={edit} />
  );
}

/** The version that was selected last, and with which button. That button keeps the focus. */
const lastSwitch = { id: "", button: "" };

/** `‹ 2 / 3 ›`: switches between the versions of a message, even while one of them streams. */
function Branches() {
  const id = useAuiState((s) => s.message.id);
  const siblings = useMessageFacts(id)?.siblings ?? [];
  const { showMessage } = useOpenThread();
  const [failure, setFailure] = useState<string>();
  const group = useRef<HTMLDivElement>(null);
  const hasSiblings = siblings.length > 1;
  useEffect(() => {
    if (!hasSiblings || lastSwitch.id !== id) return;
    lastSwitch.id = "";
    if (document.activeElement !== document.body) return;
    const buttons = [...(group.current?.querySelectorAll<HTMLButtonElement>("button:not(:disabled)") ?? [])];
    // At the first and the last version, one of the buttons is disabled.
    (buttons.find(({ value }) => value === lastSwitch.button) ?? buttons[0])?.focus({ preventScroll: true });
  }, [id, hasSiblings]);
  if (!hasSiblings) return null;
  const index = siblings.indexOf(id);
  const [previousId, nextId] = [siblings[index - 1], siblings[index + 1]];
  const [number, count] = [index + 1, siblings.length];
  const switchTo = (to: string | undefined) => (event: React.MouseEvent<HTMLButtonElement>) => {
    setFailure(undefined);
    if (to === undefined) return;
    lastSwitch.id = to;
    lastSwitch.button = event.currentTarget.value;
    showMessage(to).catch((error: unknown) =>
      setFailure(t("message.branchFailed", { reason: failureOf(error).message })),
    );
  };
  return (
    <div
      ref={group}
      role="group"
      aria-label={t("message.branches")}
      data-holds-position
      className={styles["branches"]}
    >
      <IconButton
        icon={ChevronLeft}
        size={16}
        label={t("message.branchPrevious")}
        value="previous"
        disabled={previousId === undefined}
        className={styles["turn"]}
        onClick={switchTo(previousId)}
      />
      <span role="img" aria-label={t("message.branch", { number, count })} className={styles["count"]}>
        {printNumber(number)} / {printNumber(count)}
      </span>
      <IconButton
        icon={ChevronRight}
        size={16}
        label={t("message.branchNext")}
        value="next"
        disabled={nextId === undefined}
        className={styles["turn"]}
        onClick={switchTo(nextId)}
      />
      <span role="status" className={styles["trouble"]}>
        {failure}
      </span>
    </div>
  );
}

/** Pins the message, so that models read it in full in long chats too. A pinned message always shows the button. */
function PinButton() {
  const id = useAuiState((s) => s.message.id);
  const reply = useMessageFacts(id);
  const { pin } = useOpenThread();
  const isEmpty = useIsAnswerEmpty();
  if (reply?.sendState !== "stored" || isEmpty) return null;
  const { isPinned } = reply;
  return (
    <IconButton
      icon={Pin}
      size={16}
      label={t("message.pin")}
      data-tip={
        isPinned
          ? t("message.pinned", { count: limits.pinnedMessagesMax, characters: limits.pinnedCharactersMax })
          : t("message.pinHint")
      }
      aria-pressed={isPinned}
      onClick={() => void pin(id, !isPinned).catch(showFailure)}
    />
  );
}
