import { useEffect, useRef, useState } from "react";
import type { Summary } from "#contract/endpoints/summaries.ts";
import { modelName, useModels } from "#web/data/assistants/models.ts";
import { draftOfSummary } from "#web/data/drafts/draft.ts";
import { useServices } from "#web/data/provider.tsx";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { Button } from "#web/ui/button.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./summary-line.module.css";

/** The text of a summary, which can be edited and removed. */
export function OpenedSummary({ summary }: { summary: Summary }) {
  const [isEditing, setEditing] = useState(false);
  return isEditing ? (
    <SummaryForm summary={summary} onClose={() => setEditing(false)} />
  ) : (
    <SummaryText summary={summary} onEdit={() => setEditing(true)} />
  );
}

function SummaryText({ summary, onEdit }: { summary: Summary; onEdit(): void }) {
  const { access, summaries } = useOpenThread();
  const { models } = useModels();
  const { isBusy, run } = useBusy();
  const model = modelName(summary.model, models) ?? t("message.assistant");
  async function remove(): Promise<void> {
    await summaries.remove(summary.message_id);
    showToast(t("summary.removed"));
  }
  return (
    <>
      <p dir="auto" className={styles["text"]}>
        {summary.text}
      </p>
      <div className={styles["foot"]}>
        <span className={styles["author"]}>
          {t(summary.is_edited ? "summary.edited" : "summary.by", { model })}
        </span>
        {access === "owner" && (
          <>
            <Button look="plain" onClick={onEdit}>
              {t("summary.edit")}
            </Button>
            <Button look="plain" disabled={isBusy} onClick={() => run(remove)}>
              {t("summary.remove")}
            </Button>
          </>
        )}
      </div>
    </>
  );
}

/** Esc closes the form and keeps what was typed; Cancel discards it. */
function SummaryForm({ summary, onClose }: { summary: Summary; onClose(): void }) {
  const { summaries, threadId } = useOpenThread();
  const { drafts } = useServices();
  const topic = draftOfSummary(threadId, summary.message_id);
  const [text, setText] = useState(() => drafts.read(topic) || summary.text);
  const { isBusy, run } = useBusy();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    return drafts.flush;
  }, [drafts]);
  function write(next: string): void {
    setText(next);
    drafts.write(topic, next === summary.text ? "" : next);
  }
  function cancel(): void {
    const discarded = drafts.read(topic);
    drafts.write(topic, "");
    onClose();
    if (discarded !== "")
      showToast(t("message.editDiscarded"), {
        action: { label: t("action.undo"), run: () => drafts.write(topic, discarded) },
      });
  }
  async function save(): Promise<void> {
    await summaries.edit(summary.message_id, text);
    drafts.write(topic, "");
    showToast(t("summary.saved"));
    onClose();
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run(save);
      }}
    >
      <textarea
        ref={field}
        dir="auto"
        aria-label={t("summary.label")}
        className={styles["field"]}
        readOnly={isBusy}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
          event.preventDefault();
          onClose();
        }}
      />
      <div className={styles["foot"]}>
        <span className={styles["author"]} />
        <Button look="plain" onClick={cancel}>
          {t("action.cancel")}
        </Button>
        <Button look="strong" type="submit" disabled={isBusy || text.trim() === ""}>
          {t("action.save")}
        </Button>
      </div>
    </form>
  );
}
