import { type ReactNode, useState } from "react";
import { t } from "#web/i18n/translate.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { showFailure, showToast } from "./toast.tsx";
import styles from "./confirm.module.css";

/** Asks before an action that cannot be undone. */
export function Confirm({
  text,
  label,
  cancelLabel = t("action.cancel"),
  onConfirm,
  onCancel,
}: {
  text: string;
  /** The action, as a verb. */
  label: string;
  cancelLabel?: string;
  onConfirm(): void;
  onCancel(): void;
}) {
  return (
    <Dialog label={label} className={styles["confirm"]} onClose={onCancel}>
      <p className={styles["text"]}>{text}</p>
      <div className={styles["buttons"]}>
        {/* Enter must not confirm by accident. */}
        <Button autoFocus onClick={onCancel}>
          {cancelLabel}
        </Button>
        <Button look="danger" onClick={onConfirm}>
          {label}
        </Button>
      </div>
    </Dialog>
  );
}

/** What to confirm. `run` returns the text of the toast; a failure is shown as a toast too. */
export type Confirmation = { text: string; label: string; run(): Promise<string | undefined> };

/** `confirm` opens the dialog; `dialog` is rendered by the screen. */
export function useConfirmation(): { confirm(confirmation: Confirmation): void; dialog: ReactNode } {
  const [confirmation, setConfirmation] = useState<Confirmation>();
  const close = () => setConfirmation(undefined);
  return {
    confirm: setConfirmation,
    dialog: confirmation !== undefined && (
      <Confirm
        text={confirmation.text}
        label={confirmation.label}
        onCancel={close}
        onConfirm={() => {
          close();
          confirmation.run().then((done) => done !== undefined && showToast(done), showFailure);
        }}
      />
    ),
  };
}
