import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import styles from "./confirm.module.css";

/** Asks before an action that cannot be undone. */
export function Confirm({
  text,
  label,
  cancelLabel,
  onConfirm,
  onCancel,
}: {
  text: string;
  /** The action, as a verb. */
  label: string;
  cancelLabel: string;
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
        <Button look="loss" onClick={onConfirm}>
          {label}
        </Button>
      </div>
    </Dialog>
  );
}
