import { expect, test } from "vitest";
import { begun, chosenOf, reached, toggled, turned, type Selection } from "./selection.ts";

const ids = ["a", "b", "c", "d", "e"];
const chosen = (selection: Selection) => [...selection.chosen].toSorted().join("");

test("takes rows one by one, and gives them back", () => {
  const two = toggled(begun("b"), "d");
  expect(chosen(two)).toBe("bd");
  expect(chosen(toggled(two, "b"))).toBe("d");
});

test("takes a range from the row that was chosen last by itself, both ways, and keeps the rest", () => {
  const one = toggled(begun("a"), "c");
  const down = reached(one, "e", ids);
  expect(chosen(down)).toBe("acde");
  expect(chosen(reached(down, "b", ids))).toBe("abcde");
  expect(chosen(reached(one, "b", ids))).toBe("abc");
});

test("takes the row alone where no range has begun, or its beginning has left the list", () => {
  expect(chosen(reached(begun(), "c", ids))).toBe("c");
  expect(chosen(reached(begun("gone"), "c", ids))).toBe("cgone");
});

test("takes all, and none where all are taken", () => {
  const all = turned(begun("b"), ids);
  expect(chosen(all)).toBe("abcde");
  expect(chosen(turned(all, ids))).toBe("");
});

test("forgets rows that are no longer in the list, and keeps the list's order", () => {
  const rows = ids.map((id) => ({ id }));
  const selection = toggled(toggled(begun("gone"), "d"), "a");
  expect(chosenOf(rows, selection).map(({ id }) => id)).toEqual(["a", "d"]);
});
