import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Blocks, noBlocks, splitBlocks } from "./blocks.ts";
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
];
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
      "````md\n```js\nx\n```\n\nstill inside\n````\n\n",
    ]);
    expect(blocks.open.source).toBe("after\n");
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
      "[^n]: .\n\n<!-- -->\n\n",
      "[it]: https://it.example 'It'\n\n",
    ]);
  });

  it("starts over for a different text", () => {
    const before = splitBlocks("one\n\ntwo\n");
    expect(splitBlocks("other\n\ntwo\n\nthree\n", before)).toEqual(splitBlocks("other\n\ntwo\n\nthree\n"));
  });

  it("parses a long answer, list and code block in time proportional to the added text", () => {
    const words =
      "The quick brown fox jumps over **the lazy** dog, runs `code` and sees [a link](https://x.example). ";
    const answers = {
      prose: `${words.repeat(3)}\n\n`.repeat(300),
      list: `- ${words}\n`.repeat(800),
      code: `\`\`\`js\n${"const a = 1; // a line of code\n".repeat(2500)}`,
    };
    for (const text of Object.values(answers)) {
      const before = process.cpuUsage();
      let last: Blocks = noBlocks;
      for (const blocks of stream(text, [60])) last = blocks;
      expect(joined(last)).toBe(text);
      const { user, system } = process.cpuUsage(before);
      // About 0.5 s. Parsing everything again for each delta takes more than a minute.
      expect((user + system) / 1000).toBeLessThan(8_000);
    }
  });
});

/** The types of the rendered blocks. The items of a list count as one list. */
function shownTypes(blocks: Blocks): string[] {
  const types: string[] = [];
  let list: number | undefined;
  for (const chunk of [...blocks.finished, blocks.open]) {
    const before = definitionsFor(chunk.source, blocks.definitions, false);
    const nodes = parseMarkdown(before + chunk.source).children.filter(
      (node) => (node.position?.end.offset ?? 0) > before.length,
    );
    const continues = chunk.list !== undefined && chunk.list === list && nodes[0]?.type === "list";
    types.push(...(continues ? nodes.slice(1) : nodes).map((node) => node.type));
    list = nodes.length === 1 ? chunk.list : undefined;
  }
  return types;
}
