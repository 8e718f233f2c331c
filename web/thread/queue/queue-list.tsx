import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useAui } from "@assistant-ui/react";
import ArrowUp from "lucide-react/icons/arrow-up";
import Pencil from "lucide-react/icons/pencil";
import X from "lucide-react/icons/x";
import { isSendKey } from "#web/composer/send-key.ts";
import { draftOfEdit } from "#web/data/drafts/draft.ts";
import { failureOf, translateKeptFailure } from "#web/data/failure.ts";
import { useServices } from "#web/data/provider.tsx";
import { queuedTextOf, withText, type VisibleQueuedMessage } from "#web/data/outbox/queued-messages.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { useHasEditDraft } from "#web/runtime/use-edit-draft.ts";
import { Button, IconButton } from "#web/ui/button.tsx";
import { touchOnly, useMediaQuery } from "#web/lib/use-media-query.ts";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { FailureNotice } from "../failure-notice.tsx";
import styles from "./queue.module.css";

/** The entries of the queue. `queue` may become empty while one of them is edited. */
export function QueueList({ queue }: { queue: readonly VisibleQueuedMessage[] }) {
  const { drafts } = useServices();
  const [edited, setEdited] = useState<{ id: string; text: string }>();
  const list = useRef<HTMLOListElement>(null);
  useRescueLateEdit(queue, edited, () => setEdited(undefined));
  /** Moves the focus from a removed entry to the next one, or to the message field. */
  const focusNext = () =>
    requestAnimationFrame(() => {
      const next = list.current?.querySelector("button") ?? document.querySelector("form textarea");
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    });
  return (
    <ol ref={list} className="grid">
      {queue.map((entry, index) => (
        <li key={entry.id} className={styles["entry"]}>
          {edited?.id === entry.id ? (
            <EditEntry
              entry={entry}
              text={edited.text}
              onWrite={(text) => setEdited({ id: entry.id, text })}
              onEnd={() => {
                setEdited(undefined);
                focusNext();
              }}
            />
          ) : (
            <Entry
              entry={entry}
              isNext={index === 0}
              onEdit={() =>
                setEdited({ id: entry.id, text: drafts.read(draftOfEdit(entry.id)) || queuedTextOf(entry) })
              }
              onGone={focusNext}
            />
          )}
        </li>
      ))}
    </ol>
  );
}

function Entry({
  entry,
  isNext,
  onEdit,
  onGone,
}: {
  entry: VisibleQueuedMessage;
  isNext: boolean;
  onEdit(): void;
  onGone(): void;
}) {
  const { queueActions } = useOpenThread();
  const { outboxEntry: out, isHeld, asker } = entry;
  const hasDraft = useHasEditDraft(entry.id);
  const { failureMessage, isBusy, attempt } = useAttempt();
  const remove = async () => {
    await queueActions.remove(entry);
    const undo = () => void queueActions.restore(entry).catch(showFailure);
    showToast(t("queue.removed", { words: shorten(queuedTextOf(entry)) }), {
      action: { label: t("action.undo"), run: undo },
    });
  };
  // While a message is being sent, it can be neither changed nor removed.
  const isSending = out !== undefined && out.state !== "failed";
  const failure =
    out?.state === "failed" ? out.failure && translateKeptFailure(out.failure).message : failureMessage;
  return (
    <>
      <div data-held={isHeld || undefined} className={styles["block"]}>
        {queuedTextOf(entry)}
      </div>
      {failure !== undefined && (
        <FailureNotice
          side="end"
          text={failure}
          action={
            out?.state === "failed"
              ? { label: t("reply.sendAgain"), run: () => void queueActions.sendNow(entry) }
              : undefined
          }
        />
      )}
      <div className={styles["foot"]}>
        <span className={styles["state"]}>
          {asker !== undefined && <bdi>{asker.name ?? t("share.somebody")} · </bdi>}
          {t(stateOf(entry, isNext))}
        </span>
        {isHeld && asker === undefined && (
          <IconButton
            icon={ArrowUp}
            size={16}
            label={t("queue.sendNow")}
            disabled={isBusy}
            onClick={() => attempt(async () => await queueActions.sendNow(entry), onGone)}
          />
        )}
        {!isSending && asker === undefined && (
          <>
            {hasDraft ? (
              <Button
                look="plain"
                icon={Pencil}
                disabled={isBusy}
                onClick={onEdit}
                className={styles["kept"]}
              >
                {t("message.editOn")}
              </Button>
            ) : (
              <IconButton
                icon={Pencil}
                size={16}
                label={t("action.edit")}
                disabled={isBusy}
                onClick={onEdit}
              />
            )}
            <IconButton
              icon={X}
              size={16}
              label={t("queue.remove")}
              disabled={isBusy}
              onClick={() => attempt(remove, onGone)}
            />
          </>
        )}
      </div>
    </>
  );
}

/** At most 60 characters, enough to recognize the message. */
function shorten(words: string): string {
  const [line = ""] = words.trim().split("\n");
  return line.length <= 60 ? line : `${line.slice(0, 59).trimEnd()}…`;
}

function stateOf({ outboxEntry: out, isHeld }: VisibleQueuedMessage, isNext: boolean) {
  if (out !== undefined) return "queue.sending";
  if (isHeld) return "queue.held";
  return isNext ? "queue.next" : "queue.waits";
}

/** Esc closes the field and keeps the draft; Cancel discards it. */
function EditEntry({
  entry,
  text,
  onWrite,
  onEnd,
}: {
  entry: VisibleQueuedMessage;
  /** The initial text. */
  text: string;
  onWrite(text: string): void;
  onEnd(): void;
}) {
  const { queueActions } = useOpenThread();
  const { drafts } = useServices();
  const topic = draftOfEdit(entry.id);
  useEffect(() => () => drafts.flush(), [drafts]);
  const saveDraft = (words: string) => {
    drafts.write(topic, words);
    drafts.flush();
  };
  const cancel = () => {
    const words = drafts.read(topic);
    saveDraft("");
    onEnd();
    if (words === "") return;
    showToast(t("message.editDiscarded"), {
      action: { label: t("action.undo"), run: () => saveDraft(words) },
    });
  };
  const { failureMessage, isBusy, attempt } = useAttempt();
  const [sendKey] = usePreference("sendKey");
  const isTouch = useMediaQuery(touchOnly);
  const field = useRef<HTMLTextAreaElement>(null);
  const [isEmpty, setEmpty] = useState(false);
  useLayoutEffect(() => {
    const element = field.current;
    element?.focus({ preventScroll: true });
    element?.setSelectionRange(element.value.length, element.value.length);
  }, []);
  const save = () => {
    const words = field.current?.value ?? "";
    if (words.trim() === "" || isBusy) return;
    attempt(async () => {
      await queueActions.edit(entry, withText(entry, words));
      drafts.sent(topic, words);
    }, onEnd);
  };
  return (
    <form
      className={styles["edit"]}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        defaultValue={text}
        readOnly={isBusy}
        aria-label={t("queue.editLabel")}
        className={styles["field"]}
        onInput={(event) => {
          setEmpty(event.currentTarget.value.trim() === "");
          const words = event.currentTarget.value;
          drafts.write(topic, words === queuedTextOf(entry) ? "" : words);
          onWrite(words);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape" && !event.nativeEvent.isComposing) {
            event.preventDefault();
            event.stopPropagation();
            onEnd();
          } else if (isSendKey(event.nativeEvent, sendKey, isTouch)) {
            event.preventDefault();
            save();
          }
        }}
      />
      {failureMessage !== undefined && <FailureNotice side="end" text={failureMessage} />}
      <div className={styles["editActions"]}>
        <Button look="plain" onClick={cancel}>
          {t("action.cancel")}
        </Button>
        <Button look="strong" type="submit" disabled={isBusy || isEmpty}>
          {t("action.save")}
        </Button>
      </div>
    </form>
  );
}

/** Runs one action at a time and keeps the message of its failure. */
function useAttempt() {
  const [failureMessage, setFailureMessage] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  return {
    failureMessage,
    isBusy,
    attempt(action: () => Promise<void>, onDone: () => void) {
      setBusy(true);
      setFailureMessage(undefined);
      action()
        .then(onDone, (error: unknown) => setFailureMessage(failureOf(error).message))
        .finally(() => setBusy(false));
    },
  };
}

/** If a message was sent while it was edited, the edit moves to the message field. */
function useRescueLateEdit(
  queue: readonly VisibleQueuedMessage[],
  edited: { id: string; text: string } | undefined,
  end: () => void,
): void {
  const aui = useAui();
  const { drafts } = useServices();
  const original = useRef("");
  useEffect(() => {
    if (edited === undefined) return;
    const entry = queue.find(({ id }) => id === edited.id);
    if (entry !== undefined) {
      original.current = queuedTextOf(entry);
      return;
    }
    end();
    drafts.sent(draftOfEdit(edited.id), edited.text);
    if (edited.text.trim() === "" || edited.text === original.current) return;
    const composerText = aui.composer.getState().text;
    aui.composer.setText(composerText === "" ? edited.text : `${composerText}\n\n${edited.text}`);
    showToast(t("queue.sentMeanwhile"));
  });
}
