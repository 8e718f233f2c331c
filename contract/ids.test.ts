import * as fc from "fast-check";
import { expect, test } from "vitest";
import { idPrefixes } from "./facts/id-prefixes.ts";
import { isId, newId, type IdNoun } from "./ids.ts";
import { limits } from "./limits.ts";

const nouns = Object.keys(idPrefixes) as IdNoun[];

test.for(nouns)("an id of a %s is recognized as its noun only and fits the protocol", (noun) => {
  const id = newId(noun);
  expect(id).toMatch(/^[a-z_]+_0?[0-9a-z]{24}$/);
  expect(id.length).toBeLessThanOrEqual(limits.idCharacters);
  for (const other of nouns) expect(isId(other, id)).toBe(other === noun);
});

test("ids sort bytewise by creation time", () => {
  const time = fc.integer({ min: 0, max: 2 ** 49 });
  fc.assert(
    fc.property(time, time, (a, b) => {
      fc.pre(a !== b);
      expect(newId("message", a) < newId("message", b)).toBe(a < b);
    }),
  );
});

test("ids of the same millisecond differ", () => {
  expect(new Set(Array.from({ length: 10_000 }, () => newId("thread", 7))).size).toBe(10_000);
});

test.for([
  "",
  "msg_0",
  "msg_0" + "a".repeat(23),
  "msg_0" + "a".repeat(25),
  "msg_0" + "A".repeat(24),
  "msg_0" + "i".repeat(24),
  "msg_0" + "l".repeat(24),
  "msg_0" + "o".repeat(24),
  "msg_0" + "u".repeat(24),
  " msg_0" + "a".repeat(24),
  "msg_0" + "a".repeat(23) + "\n",
  null,
  7,
  {},
  [],
])("%j is no id", (value) => {
  expect(isId("message", value)).toBe(false);
});
