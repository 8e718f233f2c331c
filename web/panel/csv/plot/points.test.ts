import { expect, it } from "vitest";
import { firstColumns, plottedMax, pointsOf } from "./points.ts";

it.each([
  [[true], 0, 0],
  [[true, false], 1, 0],
  [[false, true, true], 0, 1],
  [[true, false, true], 0, 2],
])("begins with the columns of %j", (numeric, x, y) => {
  expect(firstColumns(numeric)).toEqual({ x, y });
});

it("sorts by a column of numbers, and leaves gaps where the other one has none", () => {
  const rows = [
    ["3", "€1,200"],
    ["1", "-"],
    ["?", "4"],
    ["2", "50%"],
  ];
  expect(pointsOf(rows, 0, 1)).toEqual({ x: [1, 2, 3], y: [null, 50, 1200] });
});

it("keeps the order of rows with names", () => {
  const rows = [["plum", "2"], ["apple", "1"], ["fig"]];
  expect(pointsOf(rows, 0, 1)).toEqual({ x: [0, 1, 2], y: [2, 1, null], names: ["plum", "apple", "fig"] });
});

it("draws the first rows of a million", () => {
  const rows = Array.from({ length: 1_000_000 }, (_, i) => [String(i), String(i % 7)]);
  expect(pointsOf(rows, 0, 1).x).toHaveLength(plottedMax);
});
