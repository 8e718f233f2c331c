import * as fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { describe, expect, test } from "vitest";
import { closeBlocks, details, escapeTags, fenced, folded, inline, linkTarget } from "./markdown-text.ts";

/** Lines that open a block, and lines that may end it. */
const blockLine = fc.constantFrom(
  "```",
  "````js",
  "~~~",
  "   ```",
  "``` `",
  "<!--",
  "-->",
  "<!-->",
  "<script>",
  "</script> after",
  "<pre class='x'>",
  "<style",
  "<textarea>",
  "<?php",
  "?>",
  "<![CDATA[",
  "]]>",
  "<!DOCTYPE",
  "<div>",
  "</details>",
  "<details>",
  "- a list",
  "  - deeper",
  "  ```",
  "> a quote",
  "> ```",
  "1. one",
  "    indented",
  "| a | b |",
  "[link]: <http://example.org",
  "`",
  "\\",
  "# A heading",
  "Setext",
  "---",
  "",
  " ",
  "words",
);
const text = fc
  .tuple(fc.array(blockLine, { maxLength: 12 }), fc.constantFrom("\n", "\r\n", "\r"))
  .map(([lines, end]) => lines.join(end));

/** Whether a heading after `markdown` is read as a heading at the top level. */
function isNextHeadingRead(markdown: string): boolean {
  const last = fromMarkdown(`${markdown}\n\n## Sentinel\n`).children.at(-1);
  return last?.type === "heading" && last.depth === 2;
}

describe("Markdown of people", () => {
  test("contains nothing that follows it, whatever it leaves open", () => {
    fc.assert(
      fc.property(text, (written) => {
        expect(isNextHeadingRead(closeBlocks(written)), written).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("is unchanged if it closes what it opens", () => {
    for (const written of [
      "Plain.",
      "```js\nconst a = 1;\n```",
      "~~~\n```\n~~~",
      "<!-- so -->\n\nAfter",
      "- a\n- b",
    ])
      expect(closeBlocks(written)).toBe(written);
  });

  test("contains nothing that follows it when it is folded, quoted, fenced or inline", () => {
    fc.assert(
      fc.property(text, (written) => {
        for (const markdown of [
          folded("So", written),
          details("So", fenced(written)),
          fenced(written),
          `## ${inline(written)}`,
        ])
          expect(isNextHeadingRead(markdown), markdown).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("cannot end the summary block that contains it", () => {
    const markdown = folded("Reasoning", "a </details> b <!-- c <script>");
    expect(markdown.match(/<\/?details>/g)).toEqual(["<details>", "</details>"]);
    expect(markdown).not.toMatch(/<script|<!--/);
  });
});

test("a fence is longer than any fence in its text", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("`", "``", "````", "\n", "x", "~~~")), (tokens) => {
      const [code] = fromMarkdown(fenced(tokens.join(""), "json")).children;
      const expected = tokens.join("").replace(/\n$/, "");
      expect(code).toMatchObject({ type: "code", lang: "json", value: expected });
    }),
  );
});

test("only http, https and mailto URLs become links", () => {
  expect(linkTarget("https://example.org/a b>c")).toBe("<https://example.org/a%20b%3Ec>");
  for (const url of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "not a URL", ""])
    expect(linkTarget(url)).toBeUndefined();
});

test("escapes tags, but not in code", () => {
  const code = "```html\n<div>\n```\n\n- a `<b>` b\n  ~~~\n  </details>\n  ~~~";
  expect(escapeTags(code)).toBe(code);
  expect(escapeTags(`<i>\n\n${code}\n\n</details> <? <!-- 1 < 2`)).toBe(
    `&lt;i>\n\n${code}\n\n&lt;/details> &lt;? &lt;!-- 1 < 2`,
  );
  // Whether these are code depends on the dialect of Markdown.
  const unsure = ["a `\n<div>` b", "| ` | </details> ` |", "[^1]: a\n\n    </details>", "`a\n` </details> `"];
  for (const markdown of unsure) expect(escapeTags(markdown)).toContain("&lt;");
  fc.assert(
    fc.property(text, (written) => {
      for (const options of [{}, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }])
        expect(JSON.stringify(fromMarkdown(escapeTags(written), options))).not.toContain('"type":"html"');
    }),
    { numRuns: 1_000 },
  );
});
