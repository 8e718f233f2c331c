import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import styles from "./confirm.module.css";

/** Asks before something that cannot be undone; Enter does nothing that was not chosen. */
export function Confirm({
  text,
  label,
  cancelLabel,
  onConfirm,
  onCancel,
}: {
  text: string;
  /** What is done, as a verb. */
  label: string;
  cancelLabel: string;
  onConfirm(): void;
  onCancel(): void;
}) {
  return (
    <Dialog label={label} className={styles["confirm"]} onClose={onCancel}>
      <p className={styles["text"]}>{text}</p>
      <div className={styles["buttons"]}>
        {/* The harmless one has the focus. */}
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
