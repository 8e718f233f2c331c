import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyUnits } from "#tests/support/data/run-events.ts";
import { cleanText, cutText } from "./text.ts";

test("replaces characters that cannot be stored, and leaves other text unchanged", () => {
  fc.assert(
    fc.property(anyUnits, (text) => {
      const clean = cleanText(text);
      expect(clean.isWellFormed()).toBe(true);
      expect(clean).not.toContain("\0");
      expect(clean).toHaveLength(text.length);
      expect(cleanText(clean)).toBe(clean);
      if (text.isWellFormed() && !text.includes("\0")) expect(clean).toBe(text);
    }),
  );
});

test("does not split surrogate pairs", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "é", "😀")), fc.nat({ max: 20 }), (letters, max) => {
      const text = letters.join("");
      const cut = cutText(text, max);
      expect(cut.isWellFormed()).toBe(true);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, max) - 1);
      expect(cut.length).toBeLessThanOrEqual(max);
    }),
  );
});
