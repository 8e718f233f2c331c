/** The rows of a table of texts. */
type Rows = readonly (readonly string[])[];

export type Sorting = { column: number; isDescending: boolean };

/** The sorting after a press on the head of `column`: ascending, descending, then the original order. */
export function nextSorting(before: Sorting | undefined, column: number): Sorting | undefined {
  if (before?.column !== column) return { column, isDescending: false };
  return before.isDescending ? undefined : { column, isDescending: true };
}

/** The value of `aria-sort` for a column. */
export function sortOf(sorting: Sorting | undefined, column: number): "none" | "ascending" | "descending" {
  if (sorting?.column !== column) return "none";
  return sorting.isDescending ? "descending" : "ascending";
}

/** What people write into a cell without a value. */
const noValue = /^(?:[-–—?]|n\.?\/?a\.?)$/i;

/** Whether the cells of a column are numbers, by its first ones. */
export function isNumeric(rows: Rows, column: number): boolean {
  let numbers = 0;
  for (const row of rows.slice(0, 200)) {
    const cell = row[column]?.trim() ?? "";
    if (cell === "" || noValue.test(cell)) continue;
    if (Number.isNaN(numberIn(cell))) return false;
    numbers += 1;
  }
  return numbers > 0;
}

/** The number in a cell, also with a currency, a percent sign or separated thousands; NaN for other texts. */
export function numberIn(cell: string): number {
  const text = cell.replaceAll(/[\s%€$£¥']|,(?=\d{3}(?:\D|$))/g, "").replace("−", "-");
  return text === "" ? NaN : Number(text);
}

/** Above this, texts are compared by their characters: the rules of a language would take several seconds. */
const collatedMax = 50_000;

/** The rows that contain `filter`, in any case, sorted. Equal rows keep their order, and empty cells are last. */
export function arrange(rows: Rows, filter: string, sorting: Sorting | undefined): Rows {
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
  rows: Rows,
  valueOf: (row: readonly string[]) => Value,
  compare: (a: Value, b: Value) => number,
  isLast: (value: Value) => boolean,
): Rows {
  return rows
    .map((row) => ({ row, value: valueOf(row) }))
    .toSorted((a, b) => Number(isLast(a.value)) - Number(isLast(b.value)) || compare(a.value, b.value))
    .map(({ row }) => row);
}
