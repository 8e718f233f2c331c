import type { ReactNode } from "react";
import type { Choosing } from "./use-selection.ts";
import styles from "./check-row.module.css";

/** A row that is being chosen or not: its box, and whatever it shows. A press anywhere on it counts; Shift takes a range. */
export function CheckRow({
  id,
  choosing,
  tabIndex,
  className,
  children,
}: {
  id: string;
  choosing: Choosing;
  tabIndex?: number;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    // The box in it has the keyboard; the label hears the pointer, for its Shift key.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events
    <label
      className={[styles["row"], className].join(" ")}
      data-chosen={choosing.has(id) || undefined}
      onClick={(event) => {
        if (event.target instanceof HTMLInputElement) return;
        event.preventDefault();
        choosing.press(id, event.shiftKey);
        event.currentTarget.querySelector("input")?.focus({ preventScroll: true });
      }}
    >
      <input
        type="checkbox"
        data-row={id}
        tabIndex={tabIndex}
        checked={choosing.has(id)}
        className={styles["box"]}
        onChange={(event) =>
          choosing.press(id, (event.nativeEvent as unknown as { shiftKey?: boolean }).shiftKey === true)
        }
      />
      {children}
    </label>
  );
}
