/**
 * The selected rows of a list. `anchor` is the row that was last selected on its own: a range starts there. Rows that
 * are no longer in the list do not count as selected.
 */
export type Selection = { selected: ReadonlySet<string>; anchor: string | undefined };

export function startSelection(id?: string): Selection {
  return { selected: new Set(id === undefined ? [] : [id]), anchor: id };
}

export function toggleRow({ selected }: Selection, id: string): Selection {
  const next = new Set(selected);
  if (!next.delete(id)) next.add(id);
  return { selected: next, anchor: id };
}

/** Adds the rows from the anchor to `id`, in the order of `ids`. Without an anchor it adds only `id`. */
export function extendTo(selection: Selection, id: string, ids: readonly string[]): Selection {
  const from = selection.anchor === undefined ? -1 : ids.indexOf(selection.anchor);
  const to = ids.indexOf(id);
  if (from === -1 || to === -1) return { selected: new Set([...selection.selected, id]), anchor: id };
  const range = ids.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { selected: new Set([...selection.selected, ...range]), anchor: selection.anchor };
}

/** Selects all rows, or none if all are selected. */
export function toggleAll({ selected, anchor }: Selection, ids: readonly string[]): Selection {
  const isAll = ids.every((id) => selected.has(id));
  return { selected: new Set(isAll ? [] : ids), anchor };
}

/** The selected rows that are still in the list, in the order of the list. */
export function selectedRows<Row extends { id: string }>(rows: readonly Row[], selection: Selection): Row[] {
  return rows.filter(({ id }) => selection.selected.has(id));
}
