import { useLayoutEffect, useRef } from "react";
import { flushSync } from "react-dom";
import { t } from "#web/i18n/translate.ts";
import { shortcutOf } from "./shortcuts.ts";
import styles from "./rename-field.module.css";

/**
 * A field for the title of a thread, or another name. Enter or leaving the field saves it, Esc cancels (`undefined`). `onDone` removes the
 * field; after a key press, `restoreFocus` is called then.
 */
export function RenameField({
  title,
  maxLength = 255,
  label = t("thread.renameLabel"),
  onDone,
  restoreFocus,
}: {
  title: string;
  maxLength?: number;
  label?: string;
  onDone(title: string | undefined): void;
  restoreFocus(): void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  const finish = (next: string | undefined) => {
    if (isDone.current) return;
    isDone.current = true;
    flushSync(() => onDone(next));
  };
  const finishByKey = (event: React.KeyboardEvent, next: string | undefined) => {
    // The key press must not also activate the element that gets the focus.
    event.preventDefault();
    finish(next);
    restoreFocus();
  };
  useLayoutEffect(() => field.current?.select(), []);
  return (
    <input
      ref={field}
      type="text"
      dir="auto"
      defaultValue={title}
      maxLength={maxLength}
      autoComplete="off"
      aria-label={label}
      className={styles["field"]}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={(event) => {
        // Keys in the field are not for the list around it, in which Delete removes the selected chats.
        if (shortcutOf(event) === undefined) event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") finishByKey(event, event.currentTarget.value);
        if (event.key === "Escape") finishByKey(event, undefined);
      }}
    />
  );
}
