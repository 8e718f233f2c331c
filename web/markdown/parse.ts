import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { limitContainers, limitLevels } from "./limit-nesting.ts";
import { limitMarks, mayHaveAddress, withoutAddresses } from "./limit-marks.ts";
import { mathInLines, mathSyntax } from "./math/syntax.ts";
import { mathTree } from "./math/tree.ts";

// A single tilde is not strikethrough: "~5 km" means about five kilometres.
const markdown = limitContainers(gfm({ singleTilde: false }));
const withMath = limitMarks([...markdown, mathSyntax]);
const withoutAddress = limitMarks([...markdown.map(withoutAddresses), mathSyntax]);
const withMathInLines = limitMarks([...markdown, mathInLines]);
// Without the transforms, which search all texts for addresses again, with regular expressions of quadratic time.
const mdastExtensions = [...gfmFromMarkdown().map(({ transforms: _, ...rest }) => rest), mathTree];

/** The latest texts: a chunk is parsed to find its end and to be rendered. */
const parsed = new Map<string, Root>();
const parsedMax = 4;

/** Parses CommonMark with GitHub's tables, task lists, strikethrough, footnotes and bare links, and mathematics. Do not change the result. */
export function parseMarkdown(text: string): Root {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const extensions = mayHaveAddress(text) ? withMath : withoutAddress;
  const root = limitLevels(fromMarkdown(text, { extensions, mdastExtensions }), text);
  parsed.set(text, root);
  for (const first of parsed.keys()) {
    if (parsed.size <= parsedMax) break;
    parsed.delete(first);
  }
  return root;
}

/** Parses the text of a math block that has no end, such as a paragraph that begins with an escaped bracket. */
export function parseUnclosed(text: string): Root {
  return limitLevels(fromMarkdown(text, { extensions: withMathInLines, mdastExtensions }), text);
}
