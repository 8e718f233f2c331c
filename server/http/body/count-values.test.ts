import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createValueCounter } from "./count-values.ts";

/** The entries of all objects and lists, and one for each empty object or list. */
function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const entries = Object.values(value);
  return Math.max(1, entries.length) + entries.reduce((sum: number, entry) => sum + valuesIn(entry), 0);
}

test("counts the values of any JSON, however its bytes are split into chunks", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), fc.boolean(), (value, size, isPretty) => {
      const bytes = Buffer.from(JSON.stringify(value, undefined, isPretty ? 2 : 0));
      const count = createValueCounter();
      let counted = 0;
      for (let at = 0; at < bytes.length; at += size) counted = count(bytes.subarray(at, at + size));
      expect(counted).toBe(valuesIn(value));
    }),
  );
});

test.for([
  ['"\\\\",[]', 2],
  ['"\\\\\\"",[]', 2],
  ['"\\",[]"', 0],
  ['{"[{,":"]},"}', 1],
] as const)("ignores characters in strings: %s", ([text, count]) => {
  expect(createValueCounter()(Buffer.from(text))).toBe(count);
});
