import { type ReactNode, useRef } from "react";
import { useFocusPastRemoval } from "#web/selection/focus-past-removal.ts";
import styles from "./screen.module.css";

/** A list whose rows can be removed with the keyboard. `after` has the focus when the last one is gone. */
export function List({
  label,
  after,
  children,
}: {
  label?: string | undefined;
  after?: Parameters<typeof useFocusPastRemoval>[1];
  children: ReactNode;
}) {
  const list = useRef<HTMLUListElement>(null);
  useFocusPastRemoval(list, after);
  return (
    <ul ref={list} aria-label={label} className={styles["list"]}>
      {children}
    </ul>
  );
}
