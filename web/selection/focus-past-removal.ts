import { type RefObject, useEffect } from "react";

const focusable = "a[href], button:not([disabled]), input:not([disabled])";

/**
 * Keeps the focus in `list` when its focused row is removed: it moves to the same control of the next row, or of the
 * previous one if it was the last. If the list disappears with its last row, it moves to `after(list)` or the page.
 */
export function useFocusPastRemoval(
  list: RefObject<HTMLElement | null>,
  after?: (list: HTMLElement) => HTMLElement | null | undefined,
): void {
  useEffect(() => {
    const ul = list.current;
    if (ul === null) return undefined;
    const next = after?.(ul) ?? document.getElementById("main");
    let row: Element | undefined;
    let rowIndex = 0;
    let controlIndex = 0;

    const remember = ({ target }: FocusEvent) => {
      row = [...ul.children].find((child) => child.contains(target as Node));
      if (row === undefined) return;
      rowIndex = [...ul.children].indexOf(row);
      controlIndex = [...row.querySelectorAll(focusable)].indexOf(target as Element);
    };
    const moveFocus = () => {
      if (row === undefined || row.isConnected) return;
      row = undefined;
      // Something else has the focus, such as a dialog.
      if (document.activeElement !== document.body) return;
      const nextRow = ul.children[Math.min(rowIndex, ul.children.length - 1)];
      const controls = [...(nextRow?.querySelectorAll<HTMLElement>(focusable) ?? [])];
      (controls[controlIndex] ?? controls.at(-1))?.focus({ preventScroll: true });
    };

    const removals = new MutationObserver(moveFocus);
    ul.addEventListener("focusin", remember);
    removals.observe(ul, { childList: true });
    return () => {
      ul.removeEventListener("focusin", remember);
      removals.disconnect();
      // The list disappeared with its last row.
      if (row !== undefined && document.activeElement === document.body) next?.focus({ preventScroll: true });
    };
  }, [list, after]);
}
