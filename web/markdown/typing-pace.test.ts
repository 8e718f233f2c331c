import fc from "fast-check";
import { expect, it } from "vitest";
import { nextLength } from "./typing-pace.ts";

it("always moves on, never past the end, and shows no half of a character", () => {
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

it("lets a burst out over about a quarter of a second, not at once", () => {
  const text = "x".repeat(100);
  expect(nextLength(text, 0)).toBeLessThan(20);
});
