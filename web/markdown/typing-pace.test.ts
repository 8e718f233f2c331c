import fc from "fast-check";
import { expect, it } from "vitest";
import { nextLength } from "./typing-pace.ts";

it("always advances, never past the end, and never shows half a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }), (text) => {
      let shown = 0;
      while (shown < text.length) {
        const next = nextLength(text, shown);
        expect(next).toBeGreaterThan(shown);
        expect(next).toBeLessThanOrEqual(text.length);
        expect(text.slice(0, next).isWellFormed()).toBe(text.isWellFormed());
        shown = next;
      }
    }),
  );
});

it("reveals a burst over about a quarter of a second", () => {
  const text = "x".repeat(100);
  expect(nextLength(text, 0)).toBeLessThan(20);
});
