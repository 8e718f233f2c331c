import { useLayoutEffect, useRef } from "react";
import { t } from "#web/words/words.ts";
import styles from "./rename-field.module.css";

/** A thread's title, to be written anew: Enter or leaving the field keeps it, Esc gives it up (`undefined`). */
export function RenameField({ title, onDone }: { title: string; onDone(title: string | undefined): void }) {
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  const finish = (next: string | undefined) => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(next);
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
        if (event.key === "Enter") finish(event.currentTarget.value);
        if (event.key === "Escape") {
          event.stopPropagation();
          finish(undefined);
        }
      }}
    />
  );
}
