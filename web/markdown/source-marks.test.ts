import { describe, expect, test } from "vitest";
import { isMarkOf, numberOfSource, splitAtMarks } from "./source-marks.ts";

describe("splitAtMarks", () => {
  test.each([
    ["Rivers end [1], and begin[2][3].", ["Rivers end ", 1, ", and begin", 2, 3, "."]],
    ["[1, 3]", [1, 3]],
    ["No source [4], [0] or [1, 4].", ["No source [4], [0] or [1, 4]."]],
    ["In 2020[1]. (See it)[2], text[3]", ["In 2020", 1, ". (See it)", 2, ", text", 3]],
    [
      "v = [1, 2, 3], m[0][1], a[1].b, f[2](x), a[1][2]c",
      ["v = [1, 2, 3], m[0][1], a[1].b, f[2](x), a[1][2]c"],
    ],
    [
      "Set arr[1] or x[2]; in argv[1], vitamin C[1] and “a”[2]",
      ["Set arr[1] or x[2]; in argv[1], vitamin C", 1, " and “a”", 2],
    ],
    ["", []],
  ])("%s", (text, pieces) => expect(splitAtMarks(text, 3)).toEqual(pieces));
});

test("only a source's own number or nothing is replaced by its mark", () => {
  for (const text of ["[2]", "2", ""]) expect(isMarkOf(2, text), text).toBe(true);
  for (const text of ["[1]", "2024", "42 %", "—", "“2”"]) expect(isMarkOf(2, text), text).toBe(false);
});

describe("numberOfSource", () => {
  const sources = [
    { title: "A note" },
    { url: "https://a.example/page?x=1&utm_source=openai", title: "A" },
    { url: "/t/thread_1", title: "Ours" },
  ];
  test.each([
    ["https://a.example/page?x=1#part", 2],
    ["https://a.example/page?x=2", undefined],
    ["/t/thread_1", 3],
  ])("%s", (address, number) => expect(numberOfSource(sources, address)).toBe(number));
});
