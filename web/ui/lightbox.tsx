import { useLayoutEffect, useRef } from "react";
import X from "lucide-react/icons/x";
import { IconButton } from "./button.tsx";
import styles from "./lightbox.module.css";

/** A picture in full size over the page. Esc, the button or a click outside closes it. */
export function Lightbox({
  source,
  alt,
  closeLabel,
  onClose,
}: {
  source: string;
  alt: string;
  closeLabel: string;
  onClose(): void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    // A click on the backdrop does the same as Esc and the button.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events
    <dialog
      ref={dialog}
      aria-label={alt}
      className={styles["lightbox"]}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) event.currentTarget.close();
      }}
    >
      <img src={source} alt={alt} />
      <IconButton
        icon={X}
        label={closeLabel}
        className={styles["close"]}
        onClick={() => dialog.current?.close()}
      />
    </dialog>
  );
}
