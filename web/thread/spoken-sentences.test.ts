import { describe, expect, it } from "vitest";
import { nextSentences, plainWords } from "./spoken-sentences.ts";

describe("nextSentences", () => {
  it("returns each sentence once, when it is finished", () => {
    const text = "It listens first. Then it re";
    const first = nextSentences(text, 0, false);
    expect(first.words).toBe("It listens first.");
    const later = `${text}ads. And`;
    expect(nextSentences(later, first.end, false).words).toBe("Then it reads.");
    expect(nextSentences(later, later.length - 3, true).words).toBe("And");
  });

  it("waits in the middle of a sentence or number", () => {
    expect(nextSentences("That is 3.14 and a bi", 0, false)).toEqual({ words: "", end: 0 });
  });

  it("ends a sentence at the end of a paragraph", () => {
    expect(nextSentences("## A heading\n\nText", 0, false).words).toBe("A heading");
  });
});

describe("plainWords", () => {
  it("removes Markdown marks", () => {
    expect(plainWords("**Bold** and `code`, [a link](https://a.example).")).toBe("Bold and code, a link.");
    expect(plainWords("- one\n- two\n\n1. three\n> four")).toBe("one two three four");
    expect(plainWords("| a | b |\n|---|---|\n| 1 | 2 |")).toBe("a b 1 2");
  });

  it("removes code", () => {
    expect(plainWords("Before.\n```js\nconst a = 1;\n```\nAfter.")).toBe("Before. After.");
    expect(plainWords("Before.\n```js\nconst a = 1;")).toBe("Before.");
  });
});
