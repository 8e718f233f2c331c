import type { Nodes } from "hast";
import { describe, expect, it } from "vitest";
import { highlight } from "./highlighter.ts";
import {
  highlightNext,
  isHighlighted,
  nothingHighlighted,
  piecesOf,
  type Highlighted,
} from "./code-sections.ts";

const block = (i: number) =>
  `/* A comment\n\nover several lines */\nexport function f${i}(a) {\n  return \`text\n\nwith \${a}\`;\n}\n\n`;
const codeOf = (blocks: number) => Array.from({ length: blocks }, (_, i) => block(i)).join("");

/** Highlights `code` while it arrives in deltas. Returns the result and the number of characters highlighted. */
function stream(code: string, delta: number): { result: Highlighted; work: number } {
  let result = nothingHighlighted;
  let work = 0;
  const count = (lines: string) => {
    work += lines.length;
    return highlight(lines, "js");
  };
  for (let end = delta; ; end += delta) {
    const lines = code.slice(0, Math.min(code.length, end));
    while (!isHighlighted(lines, result)) result = highlightNext(lines, result, count);
    if (end >= code.length) return { result, work };
  }
}

const textOf = (node: Nodes): string =>
  "children" in node ? node.children.map(textOf).join("") : "value" in node ? node.value : "";

describe("highlightNext", () => {
  it("returns sections whose joined code and trees are the code", () => {
    const code = codeOf(200);
    const { finished, last } = stream(code, Infinity).result;
    expect(finished.length).toBeGreaterThan(3);
    const sections = [...finished, last];
    expect(sections.map((section) => section.code).join("")).toBe(code);
    expect(sections.map(({ tree }) => (tree === undefined ? "" : textOf(tree))).join("")).toBe(code);
  });

  it("ends sections at lines of the top level", () => {
    for (const { code } of stream(codeOf(200), Infinity).result.finished)
      expect(code).toMatch(/^(\/\* A comment|export function)/);
  });

  it("finishes the same sections while code streams, in a time in proportion to its length", () => {
    const half = stream(codeOf(100), 1_000);
    const whole = stream(codeOf(200), 1_000);
    expect(whole.result.finished.slice(0, half.result.finished.length)).toEqual(half.result.finished);
    expect(stream(codeOf(100), Infinity).result.finished).toEqual(half.result.finished);
    expect(whole.work).toBeLessThan(2.3 * half.work);
  });

  it("does not highlight lines that are too long", () => {
    const { finished } = stream(`${"a = 1; ".repeat(5_000)}\nlet b;\n`, Infinity).result;
    expect(finished.map(({ tree }) => tree)).toEqual([undefined]);
  });
});

describe("pieces of code", () => {
  it("are all of it, and end with lines", () => {
    const line = `${"x".repeat(99)}\r\n`;
    for (const code of [
      "",
      "\n",
      line,
      `${line.repeat(200)}\n\n`,
      `${line.repeat(200)}end`,
      "y".repeat(50_000),
    ]) {
      const pieces = piecesOf(code);
      expect(pieces.map((piece) => piece.code).join("")).toBe(code);
      for (const [i, piece] of pieces.entries()) {
        expect(code.startsWith(piece.code, piece.start)).toBe(true);
        if (i < pieces.length - 1) expect(piece.code.endsWith("\n")).toBe(true);
      }
    }
    expect(piecesOf(line.repeat(200)).length).toBeGreaterThan(2);
  });
});
