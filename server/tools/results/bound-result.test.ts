import { expect, test } from "vitest";
import type { Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { boundResult } from "./bound-result.ts";

test("a result of an ordinary size stays as it is", () => {
  const result = { title: "日本 👩‍👩‍👧", lines: ["a\tb", "c"], count: 2, none: null };
  expect(boundResult(result)).toEqual(result);
});

test("a result without an end is cut with a note, in text, lists, objects and depth", () => {
  let deep: Json = "end";
  for (let n = 0; n < 5_000; n++) deep = [deep];
  const large = "x".repeat(50_000_000);
  const results: Json[] = [
    large,
    { page: large },
    Array.from({ length: 1_000_000 }, () => 1),
    Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`key ${n}`, n])),
    deep,
    { [large]: 1 },
  ];
  for (const result of results) {
    const text = JSON.stringify(boundResult(result));
    expect(text.length).toBeLessThan(1.5 * limits.toolOutputCharacters);
    expect(text).toContain("The rest was cut off");
  }
});

test("what only terminals read, and what nobody sees, is removed", () => {
  const hidden = "\u{E0041}\u{E0042}";
  expect(
    boundResult({
      "\u001B[1mkey":
        "\u001B[31mred\u001B[0m \u001B]8;;https://evil.example\u0007link\u001B]8;;\u0007\r\nnext\u0000\u0008 \u202Eback",
      tags: `a${hidden}b`,
      cut: "end\u001B[3",
    }),
  ).toEqual({ key: "red link\nnext back", tags: "ab", cut: "end" });
});
