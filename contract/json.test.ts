import { expect, test } from "vitest";
import { type Json, nestingMax, printJson } from "./json.ts";

test("prints values on several lines", () => {
  expect(printJson({ a: [1, "b"] })).toBe('{\n  "a": [\n    1,\n    "b"\n  ]\n}');
});

test("prints the deepest values of the largest messages", () => {
  let value: Json = Array.from({ length: 400_000 }, () => 1);
  for (let depth = 1; depth < nestingMax; depth++) value = [value];
  expect(printJson(value).length).toBeLessThan(1_000_000);
});
