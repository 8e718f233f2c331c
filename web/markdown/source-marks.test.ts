import { describe, expect, test } from "vitest";
import { numberOfSource, splitAtMarks } from "./source-marks.ts";

describe("splitAtMarks", () => {
  test.each([
    ["Rivers end [1], and begin[2][3].", ["Rivers end ", 1, ", and begin", 2, 3, "."]],
    ["[1, 3]", [1, 3]],
    ["No source [4], [0] or [1, 4].", ["No source [4], [0] or [1, 4]."]],
    ["", []],
  ])("%s", (text, pieces) => expect(splitAtMarks(text, 3)).toEqual(pieces));
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
