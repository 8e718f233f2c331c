import fc from "fast-check";
import { expect, it } from "vitest";
import { fencedBlocks } from "./fenced-blocks.ts";
import { fenced } from "./fenced.ts";
import { withCode } from "./replace-code.ts";

it("changes only the code of one block, counted over all texts", () => {
  const texts = ["a\n```js\n1\n```\nb", "c\n\n~~~css\n2\n~~~\n```html title=x\n3\n```\nd"];
  expect(withCode(texts, 2, "4\n\n5")).toEqual([
    texts[0],
    "c\n\n~~~css\n2\n~~~\n```html title=x\n4\n\n5\n```\nd",
  ]);
  expect(withCode(texts, 0, "")).toEqual(["a\n```js\n\n```\nb", texts[1]]);
  expect(withCode(texts, 3, "4")).toBeUndefined();
  // The answer was stopped.
  expect(withCode(["a\n```js\n1\n"], 0, "2")).toEqual(["a\n```js\n2\n```"]);
});

it.each([
  ["1. a\n\n   ```py\n   if x:\n     y\n   ```\n2. b", "z:\n  u"],
  ["> - a\n>   ```js\n>   1\n>   ```\n> b", "2\n\n3"],
  ["- ```js\n  1\n  ```", "  2"],
  ["```md\n1\n```", "# A\n\n````js\n2\n````\n> ```\n"],
  ["~~~md\n1\n~~~", "~~~\n```"],
])("reads the same code from %j again", (text, code) => {
  const [changed = ""] = withCode([text], 0, code) ?? [];
  expect(fencedBlocks(changed).map((block) => [block.code, block.isClosed])).toEqual([[code, true]]);
});

it("reads any code from the middle of an answer again", () => {
  const line = fc.oneof(
    fc.constantFrom("```", "````", "~~~", "> ```", "  ```js", "- a", "", "   ", "# b", "\t"),
    fc.string(),
  );
  const lines = fc.array(line).map((all) => all.join("\n").replaceAll("\r", ""));
  fc.assert(
    fc.property(lines, fc.constantFrom("", "> ", "   ", "1. "), (code, prefix) => {
      const inner = " ".repeat(prefix === "1. " ? 3 : 0) || prefix;
      const text = `${prefix}\`\`\`js\n${inner}1\n${inner}\`\`\`\n\nend`;
      const [changed = ""] = withCode([`a\n\n${text}`], 0, code) ?? [];
      expect(fencedBlocks(changed).map((block) => block.code)).toEqual([code]);
      expect(changed.startsWith("a\n\n") && changed.endsWith("\n\nend")).toBe(true);
    }),
  );
});

it("puts code in a fence that is longer than each in it, also after many blank lines", () => {
  expect(fenced("md", `${"\n".repeat(100_000)}  \`\`\`\`\n> \`\`\`\`\``)).toMatch(/^`{6}md\n\n[^]*\n`{6}$/);
  expect(fenced("js", "a ``` b")).toBe("```js\na ``` b\n```");
});
