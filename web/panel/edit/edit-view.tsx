import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { useAuiState } from "@assistant-ui/react";
import { newId } from "#contract/ids.ts";
import { saveEditedAnswer, answerTextsOf } from "#web/data/answers/edit-answer.ts";
import { keepOriginal } from "#web/data/answers/original-answers.ts";
import { useServices } from "#web/data/provider.tsx";
import { cachedBranch } from "#web/data/threads/thread-cache.ts";
import type { Artifact, ArtifactVersion } from "#contract/artifacts/artifacts.ts";
import { withCode } from "#contract/artifacts/replace-code.ts";
import { useIsRunning, useOpenThread } from "#web/runtime/open-thread.ts";
import { Button } from "#web/ui/button.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { t } from "#web/i18n/translate.ts";
import { Changes } from "../changes/changes-view.tsx";
import { useArtifactDraft } from "./artifact-draft.ts";
import { CodeEditor } from "./code-editor.tsx";
import type { Editor } from "./editor.ts";
import styles from "./edit.module.css";

/**
 * Edits an artifact. Saving stores the answer of its latest version with the new code as another version of that answer, so
 * that the original stays. Begun from an earlier version, it also continues after the latest one. When a newer version
 * comes while a draft is open, the person chooses.
 */
export function EditView({
  editor,
  artifact,
  version,
  name,
  onSaved,
  onLatest,
}: {
  editor: RefObject<Editor | undefined>;
  artifact: Artifact;
  version: ArtifactVersion;
  name: string;
  onSaved(): void;
  /** Shows the latest version in the editor. */
  onLatest(): void;
}) {
  const services = useServices();
  const { threadId } = useOpenThread();
  const isRunning = useIsRunning();
  const lastId = useAuiState((s) => s.thread.messages.at(-1)?.id);
  const latest = artifact.versions.at(-1) ?? artifact.versions[0];
  const { draft, read, write, saved } = useArtifactDraft(threadId, artifact);
  const { isBusy, run } = useBusy();
  const [isComparing, setComparing] = useState(false);
  // A repeated request stores the new version once; other code is another version.
  const attempt = useRef({ text: "", externalId: "" });

  const text = draft?.text ?? version.code;
  // An answer that was stopped may have no end of its block.
  const isWritten = latest.isClosed || !isRunning;
  const isOther = draft !== undefined && draft.base !== latest.code && isWritten;
  const isStored = isOther && draft.text === latest.code && !isBusy;
  const isConflict = isOther && draft.text !== latest.code && draft.sent !== latest.code;
  const isReady = text !== latest.code && !isConflict && !isBusy && !isRunning;

  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => void (isShown.current = false);
  }, []);
  // The response was lost, or another tab stored the same.
  const removeStored = useEffectEvent(() => {
    if (saved(text)) onLatest();
  });
  useEffect(() => {
    if (isStored) removeStored();
  }, [isStored]);

  function change(next: string): void {
    const { base = latest.code, sent } = read() ?? {};
    write(next === version.code ? undefined : { text: next, base, sent });
  }
  function discard(): void {
    const discarded = draft;
    write(undefined);
    setComparing(false);
    if (discarded !== undefined)
      showToast(t("message.editDiscarded"), {
        action: { label: t("action.undo"), run: () => write(discarded) },
      });
  }
  function save(): void {
    if (!isReady) return;
    const row = cachedBranch(services.queries, threadId)?.messages.find(({ id }) => id === latest.messageId);
    const texts = row && withCode(answerTextsOf(row), latest.position, text);
    if (row?.format !== "aui/v0" || texts === undefined) return showToast(t("panel.editForeign"));
    if (attempt.current.text !== text) attempt.current = { text, externalId: newId("message") };
    run(async () => {
      write({ text, base: draft?.base ?? latest.code, sent: text });
      keepOriginal(services.queries, row);
      await saveEditedAnswer(services, {
        threadId,
        row,
        texts,
        externalId: attempt.current.externalId,
      });
      const hasSavedAll = saved(text);
      // The person may have left the chat, or may be typing on.
      if (isShown.current) (hasSavedAll ? onSaved : onLatest)();
    });
  }
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {isConflict && (
        <div role="alert" className={styles["conflict"]}>
          <p>{t("panel.conflict")}</p>
          <div className="flex wrap gap-2">
            <Button look="plain" aria-pressed={isComparing} onClick={() => setComparing(!isComparing)}>
              {t("panel.conflictCompare")}
            </Button>
            <Button
              onClick={() => {
                discard();
                onLatest();
              }}
            >
              {t("panel.takeTheirs")}
            </Button>
            <Button
              onClick={() => {
                write({ text, base: latest.code });
                setComparing(false);
              }}
            >
              {t("panel.keepMine")}
            </Button>
          </div>
        </div>
      )}
      {isConflict && isComparing ? (
        <div className={styles["comparison"]}>
          <Changes before={latest.code} after={text} />
        </div>
      ) : (
        <CodeEditor
          ref={editor}
          text={text}
          language={artifact.language}
          label={t("panel.editLabel", { name })}
          onChange={change}
          onSave={save}
        />
      )}
      <div className={styles["foot"]}>
        <p className={styles["note"]}>
          {isRunning
            ? t("panel.editRunning")
            : lastId !== undefined && lastId !== latest.messageId
              ? t("panel.editBelow")
              : t("panel.editHint")}
        </p>
        {draft !== undefined && (
          <Button look="plain" onClick={discard}>
            {t("panel.discard")}
          </Button>
        )}
        <Button look="strong" type="submit" disabled={!isReady}>
          {t("action.save")}
        </Button>
      </div>
    </form>
  );
}
