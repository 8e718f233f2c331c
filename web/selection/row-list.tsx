import { type ReactNode, useRef } from "react";
import { printDay } from "#web/i18n/translate.ts";
import { CheckRow } from "./check-row.tsx";
import { useFocusPastRemoval } from "./focus-past-removal.ts";
import type { Choosing } from "./use-selection.ts";
import styles from "./row-list.module.css";

/**
 * The rows of a page; while some are being chosen, keys move through them and choose. When the focused row goes, the
 * keyboard goes on in the one that takes its place.
 */
export function RowList({ choosing, children }: { choosing: Choosing; children: ReactNode }) {
  const list = useRef<HTMLUListElement>(null);
  useFocusPastRemoval(list);
  return (
    // The boxes are what is focused; their list hears of it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <ul
      ref={list}
      className={styles["list"]}
      onKeyDown={(event) => {
        if (!choosing.onKey(event)) moveByArrows(event);
      }}
    >
      {children}
    </ul>
  );
}

/** A row with its box and its day. */
export function ChosenRow({
  id,
  choosing,
  day,
  children,
}: {
  id: string;
  choosing: Choosing;
  day: string;
  children: ReactNode;
}) {
  return (
    <li className={styles["row"]}>
      <CheckRow id={id} choosing={choosing} className={styles["check"]}>
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

/** Arrow keys, Home and End move through the rows that bear `data-row` as through one list. */
export function moveByArrows(event: React.KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget } = event;
  if (!["ArrowDown", "ArrowUp", "Home", "End"].includes(key) || !(target instanceof HTMLElement)) return;
  const rows = [...currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(target);
  if (at === -1) return;
  event.preventDefault();
  const to = key === "Home" ? 0 : key === "End" ? rows.length - 1 : at + (key === "ArrowDown" ? 1 : -1);
  rows[to]?.focus();
}
