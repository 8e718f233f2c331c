import { expect, it } from "vitest";
import { arrange } from "./sort-rows.ts";

const ascending = (cells: string[]) =>
  arrange(
    cells.map((cell) => [cell]),
    "",
    { column: 0, isDescending: false },
  ).map(([cell]) => cell);

it.each([
  [
    ["1,200", "900", "—", "5,000"],
    ["900", "1,200", "5,000", "—"],
  ],
  [
    ["3", "−5", "n/a", "-10", ""],
    ["-10", "−5", "3", "n/a", ""],
  ],
  [
    ["20 %", "€ 3", "100"],
    ["€ 3", "20 %", "100"],
  ],
  [
    ["v10", "v9", "b", ""],
    ["b", "v9", "v10", ""],
  ],
])("sorts %j as %j", (cells, sorted) => {
  expect(ascending(cells)).toEqual(sorted);
});
