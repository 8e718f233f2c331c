import { type ReactNode, useRef } from "react";
import { printDay } from "#web/i18n/translate.ts";
import { CheckRow } from "./check-row.tsx";
import { useFocusPastRemoval } from "./focus-past-removal.ts";
import type { RowSelection } from "./use-selection.ts";
import styles from "./row-list.module.css";

/** The rows of a page. Arrow keys move through them, and select while selecting. The focus survives removed rows. */
export function RowList({ selection, children }: { selection: RowSelection; children: ReactNode }) {
  const list = useRef<HTMLUListElement>(null);
  useFocusPastRemoval(list);
  return (
    // The focusable elements are in the rows; key events bubble to the list.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <ul
      ref={list}
      className="below-6"
      onKeyDown={(event) => {
        if (!selection.handleKey(event)) moveByArrows(event);
      }}
    >
      {children}
    </ul>
  );
}

/** A row with its checkbox and day. */
export function SelectableRow({
  id,
  selection,
  day,
  children,
}: {
  id: string;
  selection: RowSelection;
  day: string;
  children: ReactNode;
}) {
  return (
    <li className={styles["row"]}>
      <CheckRow id={id} selection={selection} className={styles["check"]}>
        <span dir="auto" className={styles["link"]}>
          {children}
        </span>
        <time dateTime={day} className={styles["day"]}>
          {printDay(new Date(day))}
        </time>
      </CheckRow>
    </li>
  );
}

/** Arrow keys, Home and End move the focus through the elements with `data-row` or `data-head`. */
export function moveByArrows(event: React.KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget } = event;
  if (!["ArrowDown", "ArrowUp", "Home", "End"].includes(key) || !(target instanceof HTMLElement)) return;
  const rows = [...currentTarget.querySelectorAll<HTMLElement>("[data-row], [data-head]")];
  const at = rows.indexOf(target);
  if (at === -1) return;
  event.preventDefault();
  const to = key === "Home" ? 0 : key === "End" ? rows.length - 1 : at + (key === "ArrowDown" ? 1 : -1);
  rows[to]?.focus();
}
