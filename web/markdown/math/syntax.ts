import type { Extension } from "micromark-util-types";
import { mathBlock } from "./block.ts";
import { bracketsInLine, dollarsInLine } from "./inline.ts";
import { backslash, dollar } from "./marks.ts";

/**
 * Mathematics in Markdown as language models write it: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` for display.
 * A backslash and what follows it are one, so that `\$` closes nothing; between the marks nothing else is Markdown.
 *
 * A dollar alone is a price more often than not. It opens only at the start of a word with something right behind it,
 * and closes only on its own line, right behind something, with no letter or digit after it (Pandoc's rule, and a
 * little more).
 */
export const mathSyntax: Extension = {
  flow: { [dollar]: mathBlock, [backslash]: mathBlock },
  text: { [dollar]: dollarsInLine, [backslash]: bracketsInLine },
};

/** The same without blocks. */
export const mathInLines: Extension = { text: mathSyntax.text! };
