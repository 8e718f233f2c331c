import { isNumeric, numberIn } from "#web/lib/sort-rows.ts";

type Rows = readonly (readonly string[])[];

/** The points of a plot. Without numbers on the x axis, `x` counts the rows and `names` has what stands below them. */
export type Points = { x: number[]; y: (number | null)[]; names?: string[] };

export type PlotKind = "line" | "bars" | "scatter";

/** The columns to begin with, of those that have numbers: two of them, or one over the first other column. */
export function firstColumns(numeric: readonly boolean[]): { x: number; y: number } {
  const first = numeric.indexOf(true);
  const second = numeric.indexOf(true, first + 1);
  if (first === 0 && second !== -1) return { x: 0, y: second };
  const other = numeric.indexOf(false);
  return { x: other === -1 ? first : other, y: first };
}

/** More rows are not drawn: nobody could tell their points apart. */
export const plottedMax = 20_000;

/** The points of two columns. Rows without a number for y are a gap; those without one for x are left out. */
export function pointsOf(rows: Rows, xColumn: number, yColumn: number): Points {
  const shown = rows.slice(0, plottedMax);
  const yOf = (row: readonly string[]) => {
    const value = numberIn(row[yColumn] ?? "");
    return Number.isFinite(value) ? value : null;
  };
  if (!isNumeric(rows, xColumn))
    return {
      x: shown.map((_, index) => index),
      y: shown.map(yOf),
      names: shown.map((row) => row[xColumn] ?? ""),
    };
  const points = shown
    .map((row) => ({ x: numberIn(row[xColumn] ?? ""), y: yOf(row) }))
    .filter(({ x }) => Number.isFinite(x))
    .toSorted((a, b) => a.x - b.x);
  return { x: points.map(({ x }) => x), y: points.map(({ y }) => y) };
}
