import { type ReactNode, useLayoutEffect, useRef } from "react";
import { join } from "./button.tsx";
import styles from "./dialog.module.css";

/** A box over the page that keeps the keyboard until Esc or a press beside it; then the focus goes back. */
export function Dialog({
  label,
  className,
  onClose,
  children,
}: {
  label: string;
  className?: string | undefined;
  onClose(): void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // The press beside the box repeats what Esc does.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events
    <dialog
      ref={dialog}
      aria-label={label}
      className={join(styles["dialog"], className)}
      onCancel={(event) => {
        // Closed by whoever opened it, so that it leaves the page as well.
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className={styles["box"]}>{children}</div>
    </dialog>
  );
}
