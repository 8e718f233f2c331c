import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Blocks, type Chunk, noBlocks, splitBlocks } from "./blocks.ts";
import { definitionsFor } from "./definitions.ts";
import { parseMarkdown } from "./parse.ts";

const joined = (blocks: Blocks) => [...blocks.finished, blocks.open].map((chunk) => chunk.source).join("");

/** Streams `text` in deltas of `sizes` and yields the blocks after each one. */
function* stream(text: string, sizes: readonly number[]): Generator<Blocks> {
  let blocks = noBlocks;
  for (let end = 0, i = 0; end < text.length; i++) {
    end = Math.min(text.length, end + (sizes[i % sizes.length] ?? 1));
    blocks = splitBlocks(text.slice(0, end), blocks);
    yield blocks;
  }
}

/** Lines that open, close, continue and confuse blocks, for random combinations. */
const lines = [
  "",
  "",
  "",
  "word",
  "two words",
  "  indented",
  "    code",
  "\tcode",
  "# heading",
  "#",
  "#word",
  "===",
  "---",
  "- - -",
  "***",
  "- item",
  "-",
  "  - nested",
  "    continued",
  "* other",
  "+ plus",
  "1. one",
  "2) two",
  "10. ten",
  "- [x] done",
  "- [ ] open",
  "```",
  "```js",
  "````",
  "~~~",
  "  ```",
  "> quote",
  ">",
  "lazy",
  "| a | b |",
  "|---|:-:|",
  "| 1 | 2 |",
  "[a]: https://a.example",
  "[b]:",
  "<https://b.example>",
  "[^1]: note",
  "text[^1] and [a]",
  "<div>",
  "</div>",
  "<!-- comment",
  "-->",
  "<br>",
  "![i](x)",
  "\\",
  "&amp;",
  "\r",
  "\uFEFF",
  "𝒳",
  "a  ",
  "`tick",
  "**bold",
  "$$",
  "x $$",
  "$$ x $$",
  "\\[",
  "\\]",
  "\\[ x \\] y",
  "$a$ \\(b\\)",
  ">".repeat(70),
  "- ".repeat(70) + "deep",
  " ".repeat(140) + "- deep",
  "> - [^1]: ".repeat(30),
  "*a **b ".repeat(60),
  "c** d*".repeat(60),
  "*_".repeat(60) + "[a](".repeat(60) + '<a b="'.repeat(60),
  "https://a.example/" + "!".repeat(300),
];
/** More footnotes, and deeper lists and quotes, than are shown as such. */
const largeLines = [
  range(250, (i) => `[^${i}]: note`),
  range(250, (i) => `word[^${i}]`),
  range(70, (i) => `${"  ".repeat(i)}- item`),
  range(70, (i) => `${"> ".repeat(i)}quote`),
  range(70, (i) => `${" ".repeat(4 * i)}1. [^${i}]: note`),
];
function range(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join("\n");
}
const textOf = (some: string[]) =>
  fc.array(fc.constantFrom(...some), { maxLength: 40 }).map((many) => many.join("\n"));
const markdown = textOf(lines);
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe("splitBlocks", () => {
  it("returns chunks whose joined sources are the text, at every moment of a stream", () => {
    fc.assert(
      fc.property(markdown, sizes, (text, cuts) => {
        for (const blocks of stream(text, cuts)) expect(joined(blocks)).toBe(blocks.text);
      }),
      { numRuns: 200 },
    );
  });

  it("divides many footnotes and deep nesting, and never changes a finished chunk of them", () => {
    const some = fc
      .array(fc.constantFrom(...largeLines, ...lines.slice(0, 30)), { minLength: 1, maxLength: 12 })
      .map((many) => many.join("\n"));
    const largeSizes = fc.array(fc.integer({ min: 300, max: 3_000 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(some, largeSizes, (text, cuts) => {
        let before: Blocks = noBlocks;
        for (const blocks of stream(text, cuts)) {
          expect(joined(blocks)).toBe(blocks.text);
          expect(blocks.finished.slice(0, before.finished.length)).toEqual(before.finished);
          before = blocks;
        }
      }),
      { numRuns: 30 },
    );
  });

  it("accepts any text without throwing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), sizes, (text, cuts) => {
        for (const blocks of stream(text, cuts)) expect(joined(blocks)).toBe(blocks.text);
      }),
    );
  });

  it("never changes a finished chunk", () => {
    fc.assert(
      fc.property(markdown, sizes, (text, cuts) => {
        let before: Blocks = noBlocks;
        for (const blocks of stream(text, cuts)) {
          expect(blocks.finished.slice(0, before.finished.length)).toEqual(before.finished);
          before = blocks;
        }
      }),
      { numRuns: 200 },
    );
  });

  it("finds the same top-level blocks as parsing the whole text", () => {
    // Excludes lines that mean something else at the start of a chunk than directly below a paragraph, code or a
    // definition: an item that is empty or starts at 2, indented code, and a byte order mark.
    const regular = textOf([
      ...lines.filter((line) => !/^(?: {4}|\t|\uFEFF|2\)|10\.|-$)/.test(line)),
      "- item\n    continued",
    ]);
    fc.assert(
      fc.property(regular, sizes, (text, cuts) => {
        const blocks = [...stream(text, cuts)].at(-1) ?? noBlocks;
        const whole = parseMarkdown(text).children.map((node) => node.type);
        expect(shownTypes(blocks)).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });

  it("keeps a list with blank lines as one list, and a fence in its item", () => {
    const text =
      "- one\n\n- two\n\n  ```js\n  - not an item\n\n  # not a heading\n  ```\n\n- three\n\nafter\n";
    const blocks = splitBlocks(text);
    expect(blocks.finished.map((chunk) => chunk.list)).toEqual([0, 0, 0]);
    expect(blocks.finished[1]?.source).toContain("# not a heading");
    expect(blocks.open).toEqual({ source: "after\n" });
  });

  it("does not close a fence of four ticks with three", () => {
    const text = "````md\n```js\nx\n```\n\nstill inside\n````\n\nafter";
    const blocks = splitBlocks(`${text}\n`);
    expect(blocks.finished.map((chunk) => chunk.source)).toEqual([
      "````md\n```js\nx\n```\n\nstill inside\n````\n",
    ]);
    expect(blocks.open.source).toBe("\nafter\n");
  });

  it.each(["```", "~~~"])("does not divide code of any length between %s", (mark) => {
    const code = `${mark}js\n${"const a = 1; // a line of code\n".repeat(3_000)}${mark}\n`;
    const text = `before\n\n${code}\nafter\n`;
    for (const delta of [700, 30_000, Infinity]) {
      const last = [...stream(text, [delta])].at(-1);
      expect(last?.finished.map((chunk) => chunk.source)).toEqual(["before\n\n", code]);
    }
  });

  it("decides nothing on an incomplete line", () => {
    expect(splitBlocks("text\n#").finished).toEqual([]);
    expect(splitBlocks("text\n#hashtag\n").finished).toEqual([]);
    expect(splitBlocks("text\n# heading\n").finished).toEqual([{ source: "text\n" }]);
  });

  it("returns the definitions of finished chunks", () => {
    const blocks = splitBlocks(
      "See [it].\n\n[it]: https://it.example 'It'\n\nText[^n].\n\n[^n]: A note.\n\nend\n",
    );
    expect([...blocks.definitions.values()].toSorted()).toEqual([
      "[^n]: .\n",
      "[it]: https://it.example 'It'\n\n",
    ]);
  });

  it("starts over for a different text", () => {
    const before = splitBlocks("one\n\ntwo\n");
    expect(splitBlocks("other\n\ntwo\n\nthree\n", before)).toEqual(splitBlocks("other\n\ntwo\n\nthree\n"));
  });

  it("ends a line that is too long, and takes what follows in the line as it is", () => {
    const text = `${"word ".repeat(12_000)}\n\n# heading\n`;
    const whole = splitBlocks(text);
    expect(joined(whole)).toBe(text);
    expect(whole.finished.map(({ isPlain = false, source }) => [isPlain, source.length])).toEqual([
      [false, 20_001],
      [true, 20_001],
      [true, 19_999],
    ]);
    expect([...stream(text, [700])].at(-1)).toEqual(whole);
  });
});

/** The types of the rendered blocks. The items of a list count as one list, the rows of a table as one table. */
function shownTypes(blocks: Blocks): string[] {
  const types: string[] = [];
  let last: Chunk | undefined;
  for (const chunk of [...blocks.finished, blocks.open]) {
    const before = definitionsFor(chunk.source, blocks.definitions, false) + (chunk.tableHead ?? "");
    const nodes = parseMarkdown(before + chunk.source).children.filter(
      (node) => (node.position?.end.offset ?? 0) > before.length,
    );
    const [type] = nodes.map((node) => node.type);
    const continues =
      (type === "list" || type === "table") && chunk[type] !== undefined && chunk[type] === last?.[type];
    types.push(...(continues ? nodes.slice(1) : nodes).map((node) => node.type));
    last = nodes.length === 1 ? chunk : undefined;
  }
  return types;
}
