import { diffLines } from "diff";
import { expect, it } from "vitest";
import { changeSectionsOf, withLineEnd } from "./change-sections.ts";

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}`);
const text = (all: string[]) => all.map((line) => `${line}\n`).join("");

it("shows the changes of two versions with three lines around them", () => {
  const before = lines(20);
  const after = before.with(10, "changed");
  expect(changeSectionsOf(diffLines(text(before), text(after)))).toEqual([
    { kind: "hidden", count: 7 },
    { kind: "same", lines: ["line 7", "line 8", "line 9"] },
    { kind: "removed", lines: ["line 10"] },
    { kind: "added", lines: ["changed"] },
    { kind: "same", lines: ["line 11", "line 12", "line 13"] },
    { kind: "hidden", count: 6 },
  ]);
});

it("shows all lines between two near changes, and empty ones", () => {
  const before = ["", "a", "b", "c", "d", "e", "f", "g", ""];
  const after = ["", "A", "b", "c", "d", "e", "f", "g", "", ""];
  const sections = changeSectionsOf(diffLines(text(before), text(after)));
  expect(sections.map(({ kind }) => kind)).toEqual(["same", "removed", "added", "same", "added"]);
  expect(sections.at(-1)).toEqual({ kind: "added", lines: [""] });
});

it("shows only the new line when one is added at the end", () => {
  expect(changeSectionsOf(diffLines(withLineEnd("a\nb"), withLineEnd("a\nb\nc")))).toEqual([
    { kind: "same", lines: ["a", "b"] },
    { kind: "added", lines: ["c"] },
  ]);
  expect(changeSectionsOf(diffLines(withLineEnd(""), withLineEnd("a")))).toEqual([
    { kind: "added", lines: ["a"] },
  ]);
});
