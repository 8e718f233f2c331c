import { expect, test } from "vitest";
import { startSelection, selectedRows, extendTo, toggleRow, toggleAll, type Selection } from "./selection.ts";

const ids = ["a", "b", "c", "d", "e"];
const selectedIds = (selection: Selection) => [...selection.selected].toSorted().join("");

test("selects and deselects single rows", () => {
  const two = toggleRow(startSelection("b"), "d");
  expect(selectedIds(two)).toBe("bd");
  expect(selectedIds(toggleRow(two, "b"))).toBe("d");
});

test("selects a range from the anchor in both directions, and keeps the rest", () => {
  const one = toggleRow(startSelection("a"), "c");
  const down = extendTo(one, "e", ids);
  expect(selectedIds(down)).toBe("acde");
  expect(selectedIds(extendTo(down, "b", ids))).toBe("abcde");
  expect(selectedIds(extendTo(one, "b", ids))).toBe("abc");
});

test("selects only the row without an anchor, or if the anchor has left the list", () => {
  expect(selectedIds(extendTo(startSelection(), "c", ids))).toBe("c");
  expect(selectedIds(extendTo(startSelection("gone"), "c", ids))).toBe("cgone");
});

test("selects all, or none if all are selected", () => {
  const all = toggleAll(startSelection("b"), ids);
  expect(selectedIds(all)).toBe("abcde");
  expect(selectedIds(toggleAll(all, ids))).toBe("");
});

test("ignores rows that have left the list, and keeps the order of the list", () => {
  const rows = ids.map((id) => ({ id }));
  const selection = toggleRow(toggleRow(startSelection("gone"), "d"), "a");
  expect(selectedRows(rows, selection).map(({ id }) => id)).toEqual(["a", "d"]);
});
