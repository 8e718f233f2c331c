/** A table of texts. */
export type Table = { head: readonly string[]; rows: readonly (readonly string[])[] };

export type Sorting = { column: number; isDescending: boolean };

/** Whether the cells of a column are numbers, by its first ones. */
export function isNumeric(rows: Table["rows"], column: number): boolean {
  let numbers = 0;
  for (const row of rows.slice(0, 200)) {
    const cell = row[column]?.trim() ?? "";
    if (cell === "") continue;
    if (Number.isNaN(numberIn(cell))) return false;
    numbers += 1;
  }
  return numbers > 0;
}

/** The number in a cell, also with a currency, a percent sign or separated thousands; NaN for other texts. */
export function numberIn(cell: string): number {
  const text = cell.replaceAll(/[\s%€$£¥']|,(?=\d{3}(?:\D|$))/g, "");
  return text === "" ? NaN : Number(text);
}

/** Above this, texts are compared by their characters: the rules of a language would take several seconds. */
const collatedMax = 50_000;

/** The rows that contain `filter`, in any case, sorted. Equal rows keep their order, and empty cells are last. */
export function arrange(rows: Table["rows"], filter: string, sorting: Sorting | undefined): Table["rows"] {
  const wanted = filter.trim().toLowerCase();
  const found =
    wanted === "" ? rows : rows.filter((row) => row.some((cell) => cell.toLowerCase().includes(wanted)));
  if (sorting === undefined) return found;
  const { column, isDescending } = sorting;
  const sign = isDescending ? -1 : 1;
  if (isNumeric(rows, column))
    return sortedBy(
      found,
      (row) => numberIn(row[column] ?? ""),
      (a, b) => sign * (a - b),
      Number.isNaN,
    );
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return sortedBy(
    found,
    (row) => row[column] ?? "",
    found.length > collatedMax
      ? (a, b) => sign * (a < b ? -1 : Number(a > b))
      : (a, b) => sign * compare(a, b),
    (text) => text === "",
  );
}

function sortedBy<Value>(
  rows: Table["rows"],
  valueOf: (row: readonly string[]) => Value,
  compare: (a: Value, b: Value) => number,
  isLast: (value: Value) => boolean,
): Table["rows"] {
  return rows
    .map((row) => ({ row, value: valueOf(row) }))
    .toSorted((a, b) => Number(isLast(a.value)) - Number(isLast(b.value)) || compare(a.value, b.value))
    .map(({ row }) => row);
}

/** More columns are not shown: a browser takes long to lay them out. */
export const columnsMax = 200;

/** The number of columns, by the header and the first rows. */
export function columnCount({ head, rows }: Table): number {
  return Math.max(head.length, ...rows.slice(0, 200).map((row) => row.length));
}

/** The widths of the shown columns in characters, by the header and the first rows. */
export function columnWidths(table: Table): number[] {
  const { head, rows } = table;
  const sample = rows.slice(0, 200);
  const columns = Math.min(columnsMax, columnCount(table));
  return Array.from({ length: columns }, (_, column) => {
    const longest = Math.max(
      (head[column]?.length ?? 0) + 3,
      ...sample.map((row) => row[column]?.length ?? 0),
    );
    return Math.min(40, Math.max(5, longest + 2));
  });
}
