import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { mathInLines, mathSyntax } from "./math/syntax.ts";
import { mathTree } from "./math/tree.ts";

// A single tilde stays itself: "~5 km" is about five kilometres, and is not struck out.
const markdown = gfm({ singleTilde: false });
const mdastExtensions = [gfmFromMarkdown(), mathTree];

/**
 * The tree of a Markdown text: CommonMark with GitHub's tables, task lists, strikethrough, footnotes and bare links, and
 * mathematics.
 */
export function parseMarkdown(text: string): Root {
  return fromMarkdown(text, { extensions: [markdown, mathSyntax], mdastExtensions });
}

/** The same of a block of mathematics that nothing closes: of words that begin with an escaped bracket, say. */
export function parseUnclosed(text: string): Root {
  return fromMarkdown(text, { extensions: [markdown, mathInLines], mdastExtensions });
}
