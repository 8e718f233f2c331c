import type { ThreadMessage } from "@assistant-ui/react";
import { expect, test } from "vitest";
import { headingsOf, outlineSectionsOf } from "./entries.ts";

test("finds the headings of an answer, without those in code", () => {
  const markdown = [
    "# **Looms** and [engines](https://example.org/a_b)",
    "```md",
    "# In code",
    "~~~",
    "```",
    "## `Weft` ##",
    "    # In indented code",
    "#hashtag",
    "### ",
    "~~~~",
    "# Also in code",
    "~~~",
    "~~~~",
    "###### Deep",
  ].join("\n");
  expect(headingsOf(markdown)).toEqual([
    { kind: "heading", text: "Looms and engines", level: 1 },
    { kind: "heading", text: "Weft", level: 2 },
    { kind: "heading", text: "Deep", level: 6 },
  ]);
});

test("finds what an answer makes, in the version that the answer ends with", () => {
  const block = (info: string) => `\`\`\`html title="Loom"${info}\n<p>\n\`\`\`\n`;
  const message = (id: string, text: string) =>
    ({
      id,
      role: "assistant",
      content: [{ type: "text", text }],
      status: { type: "complete" },
    }) as unknown as ThreadMessage;
  const versionIn = (id: string, text: string) =>
    outlineSectionsOf(message(id, text)).map((section) =>
      section.kind === "artifact" ? section.v : undefined,
    );
  expect(versionIn("a", block(""))).toEqual(["a"]);
  expect(versionIn("b", block("") + block(" update"))).toEqual(["b.1"]);
});

test("reads a long line of marks in linear time: quadratic work would take minutes", () => {
  headingsOf(`# a${" #".repeat(200_000)}b\n# ${" ".repeat(200_000)}x\n# ${"[".repeat(100_000)}`);
});
