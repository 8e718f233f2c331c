/** A table of texts. */
export type Table = { head: readonly string[]; rows: readonly (readonly string[])[] };

/** More columns are not shown: a browser takes long to lay them out. */
const columnsMax = 200;

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
