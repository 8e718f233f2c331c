import * as fc from "fast-check";
import { expect, test } from "vitest";
import { split } from "./split.ts";

const pieces = (text: string) => split(text).map(({ start, end }) => text.slice(start, end));

const long = (words: string) => `${words} `.repeat(14).trim();

test("splits at paragraphs, and joins short ones with the next", () => {
  const first = long("A paragraph of some length.");
  const second = long("Another one of its own.");
  expect(pieces(`${first}\n\n${second}`)).toEqual([first, second]);
  expect(pieces(`Short.\n\nAlso short.\n\n${first}`)).toEqual([`Short.\n\nAlso short.\n\n${first}`]);
});

test("keeps a heading, and a line with a colon, with what follows", () => {
  const body = long("What it is about.");
  expect(pieces(`${body}\n\n# Heading\n\n${body}\n\nThe list:\n- ${body}`)).toEqual([
    body,
    `# Heading\n\n${body}`,
    `The list:\n- ${body}`,
  ]);
});

test("splits list items, and keeps code together", () => {
  const item = long("An item with words.");
  expect(pieces(`- ${item}\n- ${item}`)).toHaveLength(2);
  const code = `\`\`\`ts\n${"const a = 1;\n\n".repeat(12)}\`\`\``;
  expect(pieces(`${item}\n\n${code}`)).toEqual([item, code]);
});

test("splits long text at sentences, or anywhere if there are none", () => {
  const text = "This is a sentence of a long paragraph. ".repeat(60).trim();
  for (const piece of pieces(text)) {
    expect(piece.length).toBeLessThanOrEqual(700);
    expect(piece.trim()).toMatch(/\.$/);
  }
  expect(Math.max(...pieces("x".repeat(5_000)).map(({ length }) => length))).toBeLessThanOrEqual(700);
});

test("treats a few Chinese characters like a line of English", () => {
  const one = "提前一周联系物业预约电梯，周末搬家要交两百块押金，旧地址的光猫要记得带走。";
  expect(pieces(`${one}\n\n${one}`)).toEqual([one, one]);
});

test("leaves out only white space", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a b. ", "\n", "\n\n", "- ", "# ", "```", ":", "日本。", "x".repeat(300))),
      (parts) => {
        const text = parts.join("");
        expect(pieces(text).join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
      },
    ),
  );
});
