import type { ReactNode } from "react";
import type { RowSelection } from "./use-selection.ts";
import styles from "./check-row.module.css";

/** A row with a checkbox. A click anywhere on it selects it; with Shift it selects a range. */
export function CheckRow({
  id,
  selection,
  tabIndex,
  className,
  children,
}: {
  id: string;
  selection: RowSelection;
  tabIndex?: number;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    // The checkbox handles the keyboard. The label handles clicks, because only they have the Shift key.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events
    <label
      className={[styles["row"], className].join(" ")}
      onClick={(event) => {
        if (event.target instanceof HTMLInputElement) return;
        event.preventDefault();
        selection.toggle(id, event.shiftKey);
        event.currentTarget.querySelector("input")?.focus({ preventScroll: true });
      }}
    >
      <input
        type="checkbox"
        data-row={id}
        tabIndex={tabIndex}
        checked={selection.has(id)}
        className={styles["box"]}
        onChange={(event) =>
          selection.toggle(id, (event.nativeEvent as unknown as { shiftKey?: boolean }).shiftKey === true)
        }
      />
      {children}
    </label>
  );
}
