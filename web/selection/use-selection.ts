import { useEffect, useRef, useState } from "react";
import { startSelection, selectedRows, extendTo, type Selection, toggleRow, toggleAll } from "./selection.ts";

export type RowSelection<Row extends { id: string } = { id: string }> = {
  /** Whether rows are being selected: then each has a checkbox, and a click selects it instead of opening it. */
  isActive: boolean;
  selected: Row[];
  isAll: boolean;
  has(id: string): boolean;
  /** Starts selecting, with this row or with none. */
  start(id?: string): void;
  /** Selects or deselects the row; with `range`, selects all rows up to it. Starts selecting if necessary. */
  toggle(id: string, range: boolean): void;
  toggleAll(): void;
  stop(): void;
  /**
   * Handles a key in a list whose rows have `data-row`: Shift and an arrow selects the next row too, Ctrl or ⌘ and A
   * selects all, Esc stops. Returns whether it was such a key.
   */
  handleKey(event: React.KeyboardEvent<HTMLElement>): boolean;
};

/**
 * Selection in `rows`, which are in visible order in the element `within`. A first range starts at the row `from`, such as
 * the open one.
 */
export function useSelection<Row extends { id: string }>(
  rows: readonly Row[],
  from?: string,
  within = "#main",
): RowSelection<Row> {
  const [state, setSelection] = useState<Selection>();
  const selection = rows.length === 0 ? undefined : state;
  const ids = rows.map(({ id }) => id);
  const focusedRow = useKeepFocus(selection, within);
  const selected = selection === undefined ? [] : selectedRows(rows, selection);

  function handleKey(event: React.KeyboardEvent<HTMLElement>): boolean {
    if (!(event.target instanceof HTMLElement)) return false;
    const id = event.target.getAttribute("data-row");
    if (id === null) return false;
    if (event.key === "Escape" && selection !== undefined) {
      event.stopPropagation();
      setSelection(undefined);
    } else if (event.key.toLowerCase() === "a" && (event.ctrlKey || event.metaKey) && !event.shiftKey) {
      setSelection(toggleAll(selection ?? startSelection(id), ids));
    } else if (event.shiftKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const next = ids[ids.indexOf(id) + (event.key === "ArrowDown" ? 1 : -1)];
      const from = selection ?? startSelection(id);
      setSelection(next === undefined ? from : extendTo(from, next, ids));
      focusedRow.current = next ?? id;
      event.currentTarget.querySelector<HTMLElement>(rowSelector(focusedRow.current))?.focus();
    } else return false;
    event.preventDefault();
    return true;
  }

  return {
    isActive: selection !== undefined,
    selected,
    isAll: selected.length === rows.length,
    has: (id) => selection?.selected.has(id) === true,
    start: (id) => setSelection(startSelection(id)),
    toggle: (id, range) =>
      setSelection(
        range
          ? extendTo(selection ?? { selected: new Set(), anchor: from }, id, ids)
          : toggleRow(selection ?? startSelection(), id),
      ),
    toggleAll: () => setSelection(toggleAll(selection ?? startSelection(), ids)),
    stop: () => setSelection(undefined),
    handleKey,
  };
}

/** Returns a function that runs `action` on the selected rows and stops selecting. */
export function runAndStop<Row extends { id: string }>(
  selection: RowSelection<Row>,
  action: (rows: readonly Row[]) => void,
): () => void {
  return () => {
    action(selection.selected);
    selection.stop();
  };
}

/**
 * Keeps the focus in the same row when checkboxes appear or disappear, because rows are then different elements. The
 * returned ref has the row to focus.
 */
function useKeepFocus(selection: Selection | undefined, within: string): React.RefObject<string | undefined> {
  const isActive = selection !== undefined;
  const wasActive = useRef(isActive);
  const focusedRow = useRef<string>(undefined);
  const anchor = selection?.anchor;
  useEffect(() => {
    if (wasActive.current !== isActive && document.activeElement === document.body) {
      const id = focusedRow.current ?? anchor;
      const list = document.querySelector(within);
      const row = id === undefined ? null : list?.querySelector<HTMLElement>(rowSelector(id));
      const next = row ?? list?.querySelector<HTMLElement>("[data-starts-selection], [data-row]");
      next?.focus({ preventScroll: row == null });
    }
    wasActive.current = isActive;
    focusedRow.current = anchor;
  }, [isActive, anchor, within]);
  return focusedRow;
}

function rowSelector(id: string): string {
  return `[data-row="${CSS.escape(id)}"]`;
}
