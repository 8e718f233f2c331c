import { expect, it } from "vitest";
import { columnCount, columnWidths } from "./rows.ts";

it.each([
  [3, 3],
  [200, 200],
  [10_000, 200],
])("of %i columns, shows %i", (count, shown) => {
  const row = Array.from({ length: count }, (_, i) => String(i));
  const table = { head: row.slice(0, 2), rows: [row, row] };
  expect(columnCount(table)).toBe(count);
  expect(columnWidths(table)).toHaveLength(shown);
});
