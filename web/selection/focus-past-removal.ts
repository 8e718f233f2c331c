import { type RefObject, useEffect } from "react";

const focusable = "a[href], button:not([disabled]), input:not([disabled])";

/**
 * While rows of `list` are taken away, the keyboard stays where it was: a row that had the focus and goes gives it to the
 * control of the same place in the next row, or in the one before where it was the last. Where the list goes with its
 * last row, it goes on from `after(list)`, or else from the page.
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
    let rowAt = 0;
    let controlAt = 0;

    const note = ({ target }: FocusEvent) => {
      row = [...ul.children].find((child) => child.contains(target as Node));
      if (row === undefined) return;
      rowAt = [...ul.children].indexOf(row);
      controlAt = [...row.querySelectorAll(focusable)].indexOf(target as Element);
    };
    const goOn = () => {
      if (row === undefined || row.isConnected) return;
      row = undefined;
      // Whoever has gone elsewhere meanwhile, or to a box that asks, stays there.
      if (document.activeElement !== document.body) return;
      const nextRow = ul.children[Math.min(rowAt, ul.children.length - 1)];
      const controls = [...(nextRow?.querySelectorAll<HTMLElement>(focusable) ?? [])];
      (controls[controlAt] ?? controls.at(-1))?.focus({ preventScroll: true });
    };

    const removals = new MutationObserver(goOn);
    ul.addEventListener("focusin", note);
    removals.observe(ul, { childList: true });
    return () => {
      ul.removeEventListener("focusin", note);
      removals.disconnect();
      // The last row goes with its list.
      if (row !== undefined && document.activeElement === document.body) next?.focus({ preventScroll: true });
    };
  }, [list, after]);
}
