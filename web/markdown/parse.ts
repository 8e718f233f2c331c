import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

const options = {
  // A single tilde stays itself: "~5 km" is about five kilometres, and is not struck out.
  extensions: [gfm({ singleTilde: false })],
  mdastExtensions: [gfmFromMarkdown()],
};

/** The tree of a Markdown text: CommonMark with GitHub's tables, task lists, strikethrough, footnotes and bare links. */
export function parseMarkdown(text: string): Root {
  return fromMarkdown(text, options);
}
