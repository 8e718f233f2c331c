import { type ReactNode, useLayoutEffect, useRef } from "react";
import { join } from "./button.tsx";
import styles from "./dialog.module.css";

/** A modal dialog. Esc or a click outside closes it and returns the focus. */
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
    // A click on the backdrop does the same as Esc.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events
    <dialog
      ref={dialog}
      aria-label={label}
      className={join(styles["dialog"], className)}
      onCancel={(event) => {
        // The parent closes the dialog by not rendering it any more.
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className="column grow shrink">{children}</div>
    </dialog>
  );
}
