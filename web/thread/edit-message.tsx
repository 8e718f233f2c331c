import { useEffect, useRef } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import { AttachButton } from "#web/composer/attach-button.tsx";
import { Attachments } from "#web/composer/attachment-list.tsx";
import { DropZone } from "#web/composer/drop-zone.tsx";
import { attachmentState } from "#web/composer/attachment-state.ts";
import { ComposerInput } from "#web/composer/input.tsx";
import { useEditDraft } from "#web/runtime/use-edit-draft.ts";
import { Button } from "#web/ui/button.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./message.module.css";

/**
 * Edits a sent message. Sending creates a new version of the thread from here. Esc closes the field and keeps the draft;
 * Cancel discards it.
 */
export function EditMessage({ id }: { id: string }) {
  const aui = useAui();
  const { discard } = useEditDraft(id);
  const isBusy = useAuiState((s) => s.thread.isRunning);
  const isReady = useAuiState(
    (s) => !s.composer.isEmpty && attachmentState(s.composer.attachments) === "ready",
  );
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // Newer browsers return a promise here, which must not be returned as a cleanup function.
    form.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const send = () => {
    if (!isBusy && isReady) aui.composer.send();
  };
  const close = () => {
    const message = form.current?.closest("article");
    aui.composer.cancel();
    // When the field is gone, the focus returns to the edit button.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body)
        message?.querySelector<HTMLElement>("[data-edit]")?.focus({ preventScroll: true });
    });
  };
  const cancel = () => {
    const undo = discard();
    close();
    if (undo !== undefined)
      showToast(t("message.editDiscarded"), { action: { label: t("action.undo"), run: undo } });
  };
  return (
    <form
      ref={form}
      className={styles["edit"]}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Attachments />
      <DropZone />
      <ComposerInput label={t("message.editLabel")} autoFocus onSend={send} onEscape={close} />
      <div className={styles["editActions"]}>
        {isBusy && <span className={styles["quiet"]}>{t("composer.busy")}</span>}
        <AttachButton />
        <Button look="plain" onClick={cancel}>
          {t("action.cancel")}
        </Button>
        <Button look="strong" type="submit" disabled={isBusy || !isReady}>
          {t("action.send")}
        </Button>
      </div>
    </form>
  );
}
