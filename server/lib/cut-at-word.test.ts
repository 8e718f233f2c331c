import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cutAtWord } from "./cut-at-word.ts";

test("ends with a whole word, in every language", () => {
  expect(cutAtWord("Weaving with engines", 20)).toBe("Weaving with engines");
  expect(cutAtWord("Weaving with engines", 19)).toBe("Weaving with");
  expect(cutAtWord("Weaving with engines", 13)).toBe("Weaving with");
  expect(cutAtWord("Weaving (with engines)", 9)).toBe("Weaving");
  expect(cutAtWord("Weaving, with engines", 8)).toBe("Weaving");
  expect(cutAtWord("كيف تنسج الآلات الزهور", 17)).toBe("كيف تنسج الآلات");
  expect(cutAtWord("你好世界朋友", 5)).toBe("你好世界");
});

test("cuts a word that is longer than the limit", () => {
  expect(cutAtWord("Donaudampfschifffahrt", 5)).toBe("Donau");
  expect(cutAtWord("x".repeat(10_000), 80)).toHaveLength(80);
  expect(cutAtWord("😀".repeat(60), 5)).toBe("😀😀");
});

test("is a beginning of the text that is not too long", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 20 }), (text, max) => {
      const cut = cutAtWord(text, max);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(max);
    }),
  );
});
