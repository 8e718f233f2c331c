import { useEffect, useRef, useState } from "react";
import Pencil from "lucide-react/icons/pencil";
import { newId } from "#contract/ids.ts";
import { saveEditedAnswer, answerTextsOf } from "#web/data/answers/edit-answer.ts";
import { draftOfEdit } from "#web/data/drafts/draft.ts";
import { useServices } from "#web/data/provider.tsx";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { cachedBranch } from "#web/data/threads/thread-cache.ts";
import { useHasEditDraft } from "#web/runtime/use-edit-draft.ts";
import { useIsRunning, useOpenThread } from "#web/runtime/open-thread.ts";
import { Button } from "#web/ui/button.tsx";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { t } from "#web/i18n/translate.ts";
import { editedAnswer } from "./edited-answer.ts";
import { textsOfDraft } from "./texts-of-draft.ts";
import styles from "./answer-edit.module.css";

/**
 * Edits the texts of an answer as Markdown. Saving stores a new version; the original stays. Esc closes the form and keeps
 * what was typed, also over a reload; Cancel discards it.
 */
export function AnswerEditForm({ id }: { id: string }) {
  const services = useServices();
  const { drafts } = services;
  const { threadId } = useOpenThread();
  const isRunning = useIsRunning();
  // As it was when the form was opened: the row is read again at any time.
  const [row] = useState(() =>
    cachedBranch(services.queries, threadId)?.messages.find((one) => one.id === id),
  );
  const original = row === undefined ? [] : answerTextsOf(row);
  const topic = draftOfEdit(id);
  const [texts, setTexts] = useState(() => textsOfDraft(drafts.read(topic), original.length) ?? original);
  // A repeated request stores the new version once.
  const [externalId] = useState(() => newId("message"));
  const { isBusy, run } = useBusy();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector("textarea")?.focus({ preventScroll: true });
    form.current?.scrollIntoView({ block: "nearest" });
    return drafts.flush;
  }, [drafts]);
  if (row === undefined) return null;
  const isChanged = texts.some((text, index) => text !== original[index]);
  const isReady = isChanged && !isBusy && !isRunning && texts.some((text) => text.trim() !== "");

  function write(next: string[]): void {
    setTexts(next);
    const isOriginal = next.every((text, index) => text === original[index]);
    drafts.write(topic, isOriginal ? "" : JSON.stringify(next));
  }
  function close(): void {
    const article = form.current?.closest("article");
    editedAnswer.set(undefined);
    requestAnimationFrame(() => {
      if (document.activeElement === document.body)
        [...(article?.querySelectorAll<HTMLElement>("[aria-haspopup='menu']") ?? [])]
          .at(-1)
          ?.focus({ preventScroll: true });
    });
  }
  function cancel(): void {
    const discarded = drafts.read(topic);
    drafts.write(topic, "");
    close();
    if (discarded !== "")
      showToast(t("message.editDiscarded"), {
        action: { label: t("action.undo"), run: () => drafts.write(topic, discarded) },
      });
  }
  function save(): void {
    if (!isReady) return;
    run(async () => {
      await saveEditedAnswer(services, { threadId, row: row!, texts, externalId });
      drafts.write(topic, "");
      close();
      showToast(t("answerEdit.saved"));
    });
  }
  return (
    // The keys are those of its text fields.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      ref={form}
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
        else if (event.key === "Escape") close();
        else return;
        event.preventDefault();
      }}
    >
      {texts.map((text, index) => (
        <textarea
          // The parts keep their order.
          key={index}
          dir="auto"
          aria-label={
            texts.length === 1
              ? t("answerEdit.label")
              : t("answerEdit.part", { number: index + 1, count: texts.length })
          }
          className={styles["field"]}
          readOnly={isBusy}
          value={text}
          onChange={({ currentTarget }) =>
            write(texts.map((one, at) => (at === index ? currentTarget.value : one)))
          }
        />
      ))}
      <div className="row to-end wrap gap-2">
        <p className={styles["note"]}>{t(isRunning ? "composer.busy" : "answerEdit.note")}</p>
        <Button look="plain" onClick={cancel}>
          {t("action.cancel")}
        </Button>
        <Button look="strong" type="submit" disabled={!isReady}>
          {t("action.save")}
        </Button>
      </div>
    </form>
  );
}

/** Says who edited the answer, shows the original, and opens what was typed and not saved. */
export function EditedMark({ id }: { id: string }) {
  const { access, showMessage } = useOpenThread();
  const reply = useMessageFacts(id);
  const hasDraft = useHasEditDraft(id);
  const from = reply?.editedFrom;
  // A copy of the branch has no other versions, and may be that of another person's thread.
  const hasOriginal = from !== undefined && reply?.siblings.includes(from) === true;
  return (
    <p className={styles["mark"]}>
      {from !== undefined && t(access === "owner" && hasOriginal ? "answerEdit.byYou" : "answerEdit.byHand")}
      {hasOriginal && (
        <Button look="plain" onClick={() => void showMessage(from).catch(showFailure)}>
          {t("answerEdit.original")}
        </Button>
      )}
      {hasDraft && (
        <Button look="plain" icon={Pencil} onClick={() => editedAnswer.set(id)}>
          {t("message.editOn")}
        </Button>
      )}
    </p>
  );
}
