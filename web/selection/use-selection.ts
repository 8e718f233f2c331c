import { useEffect, useRef, useState } from "react";
import { begun, chosenOf, reached, type Selection, toggled, turned } from "./selection.ts";

export type Choosing<Row extends { id: string } = { id: string }> = {
  /** Whether rows are being chosen: then each has a box, and a press chooses instead of opening. */
  isOn: boolean;
  chosen: Row[];
  isAll: boolean;
  has(id: string): boolean;
  /** Begins choosing, with this row or with none. */
  begin(id?: string): void;
  /** Takes the row or gives it back; with `range` everything up to it, beginning where nothing was begun. */
  press(id: string, range: boolean): void;
  turnAll(): void;
  end(): void;
  /**
   * What keys do in a list of rows that bear `data-row`: Shift and an arrow takes the next row too, Ctrl or ⌘ and A all
   * of them, Esc ends. Answers whether it was such a key.
   */
  onKey(event: React.KeyboardEvent<HTMLElement>): boolean;
};

/**
 * Choosing some of `rows`, which are in the order that they are shown in. `from` is where a range begins that is taken
 * before anything else: the row that is open, say.
 */
export function useSelection<Row extends { id: string }>(rows: readonly Row[], from?: string): Choosing<Row> {
  const [selected, setSelection] = useState<Selection>();
  const selection = rows.length === 0 ? undefined : selected;
  const ids = rows.map(({ id }) => id);
  const at = useFocusKept(selection);
  const chosen = selection === undefined ? [] : chosenOf(rows, selection);

  function onKey(event: React.KeyboardEvent<HTMLElement>): boolean {
    if (!(event.target instanceof HTMLElement)) return false;
    const id = event.target.getAttribute("data-row");
    if (id === null) return false;
    if (event.key === "Escape" && selection !== undefined) {
      event.stopPropagation();
      setSelection(undefined);
    } else if (event.key.toLowerCase() === "a" && (event.ctrlKey || event.metaKey) && !event.shiftKey) {
      setSelection(turned(selection ?? begun(id), ids));
    } else if (event.shiftKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const next = ids[ids.indexOf(id) + (event.key === "ArrowDown" ? 1 : -1)];
      const from = selection ?? begun(id);
      setSelection(next === undefined ? from : reached(from, next, ids));
      at.current = next ?? id;
      event.currentTarget.querySelector<HTMLElement>(rowOf(at.current))?.focus();
    } else return false;
    event.preventDefault();
    return true;
  }

  return {
    isOn: selection !== undefined,
    chosen,
    isAll: chosen.length === rows.length,
    has: (id) => selection?.chosen.has(id) === true,
    begin: (id) => setSelection(begun(id)),
    press: (id, range) =>
      setSelection(
        range
          ? reached(selection ?? { chosen: new Set(), anchor: from }, id, ids)
          : toggled(selection ?? begun(), id),
      ),
    turnAll: () => setSelection(turned(selection ?? begun(), ids)),
    end: () => setSelection(undefined),
    onKey,
  };
}

/** Does `deed` to all that are chosen, and ends the choosing. */
export function endingWith<Row extends { id: string }>(
  choosing: Choosing<Row>,
  deed: (rows: readonly Row[]) => void,
): () => void {
  return () => {
    deed(choosing.chosen);
    choosing.end();
  };
}

/**
 * Boxes come and go with the choosing; who had the focus goes on from the same row, or from where it began. Answers
 * where to note the row that is to have it.
 */
function useFocusKept(selection: Selection | undefined): React.RefObject<string | undefined> {
  const isOn = selection !== undefined;
  const wasOn = useRef(isOn);
  const at = useRef<string>(undefined);
  const anchor = selection?.anchor;
  useEffect(() => {
    if (wasOn.current !== isOn && document.activeElement === document.body) {
      const id = at.current ?? anchor;
      const row = id === undefined ? null : document.querySelector<HTMLElement>(rowOf(id));
      const next = row ?? document.querySelector<HTMLElement>("[data-begins-choosing], [data-row]");
      next?.focus({ preventScroll: row === null });
    }
    wasOn.current = isOn;
    at.current = anchor;
  }, [isOn, anchor]);
  return at;
}

function rowOf(id: string): string {
  return `[data-row="${CSS.escape(id)}"]`;
}
