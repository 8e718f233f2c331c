import { useLayoutEffect, useRef } from "react";
import { flushSync } from "react-dom";
import { t } from "#web/i18n/translate.ts";
import styles from "./rename-field.module.css";

/**
 * A thread's title, to be written anew: Enter or leaving the field keeps it, Esc gives it up (`undefined`). `onDone` has
 * taken the field away when it returns; then `giveBack` gives the focus to where the keyboard goes on, unless it is
 * elsewhere already.
 */
export function RenameField({
  title,
  onDone,
  giveBack,
}: {
  title: string;
  onDone(title: string | undefined): void;
  giveBack(): void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  const finish = (next: string | undefined) => {
    if (isDone.current) return;
    isDone.current = true;
    flushSync(() => onDone(next));
  };
  const finishByKey = (event: React.KeyboardEvent, next: string | undefined) => {
    // The same key would press what has the focus then.
    event.preventDefault();
    finish(next);
    giveBack();
  };
  useLayoutEffect(() => field.current?.select(), []);
  return (
    <input
      ref={field}
      type="text"
      dir="auto"
      defaultValue={title}
      maxLength={255}
      autoComplete="off"
      aria-label={t("thread.renameLabel")}
      className={styles["field"]}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") finishByKey(event, event.currentTarget.value);
        if (event.key === "Escape") {
          event.stopPropagation();
          finishByKey(event, undefined);
        }
      }}
    />
  );
}
