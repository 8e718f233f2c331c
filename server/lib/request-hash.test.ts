import * as fc from "fast-check";
import { expect, test } from "vitest";
import { requestHash } from "./request-hash.ts";

/** The same value with the keys of every object turned round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, entry]) => [key, turned(entry)]),
  );
}

test("the order of keys does not matter, on any level", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(requestHash(turned(value))).toBe(requestHash(value));
    }),
  );
});

test("gives different values different hashes", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const same = JSON.stringify(turned(turned(a))) === JSON.stringify(turned(turned(b)));
      fc.pre(!same);
      // Different texts may be the same value with its keys in another order. Equal hashes are then correct.
      if (requestHash(a) === requestHash(b)) expect(a).toEqual(b);
    }),
  );
  const different = [
    { a: 1 },
    { a: "1" },
    { a: [1] },
    [["a", 1]],
    { object: [["a", 1]] },
    { a: null },
    {},
    [],
    null,
    "",
    0,
    false,
    { a: { b: 1 } },
    { "a.b": 1 },
    { b: 1, a: 1 },
  ];
  expect(new Set(different.map(requestHash)).size).toBe(different.length);
});

test("ignores keys whose value is undefined", () => {
  expect(requestHash({ a: 1, b: undefined })).toBe(requestHash({ a: 1 }));
});
