/**
 * Which of a list's rows are chosen. `anchor` is where a range begins: the row that was chosen last by itself. Rows that
 * have left the list are no longer chosen.
 */
export type Selection = { chosen: ReadonlySet<string>; anchor: string | undefined };

export function begun(id?: string): Selection {
  return { chosen: new Set(id === undefined ? [] : [id]), anchor: id };
}

export function toggled({ chosen }: Selection, id: string): Selection {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return { chosen: next, anchor: id };
}

/** From the anchor to `id`, in the order of `ids`; what was chosen before stays. Without an anchor, `id` alone. */
export function reached(selection: Selection, id: string, ids: readonly string[]): Selection {
  const from = selection.anchor === undefined ? -1 : ids.indexOf(selection.anchor);
  const to = ids.indexOf(id);
  if (from === -1 || to === -1) return { chosen: new Set([...selection.chosen, id]), anchor: id };
  const range = ids.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { chosen: new Set([...selection.chosen, ...range]), anchor: selection.anchor };
}

/** Everything, or nothing where everything is chosen already. */
export function turned({ chosen, anchor }: Selection, ids: readonly string[]): Selection {
  const isAll = ids.every((id) => chosen.has(id));
  return { chosen: new Set(isAll ? [] : ids), anchor };
}

/** What is chosen and still there, in the order of the list. */
export function chosenOf<Row extends { id: string }>(rows: readonly Row[], selection: Selection): Row[] {
  return rows.filter(({ id }) => selection.chosen.has(id));
}
