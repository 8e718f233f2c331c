import type { Extension } from "micromark-util-types";
import { mathBlock } from "./block.ts";
import { bracketsInLine, dollarsInLine } from "./inline.ts";
import { backslash, dollar } from "./marks.ts";

/**
 * Math in Markdown as language models write it: `$…$` and `\(…\)` inline, `$$…$$` and `\[…\]` for display. A backslash
 * escapes the next character, so `\$` closes nothing. Nothing between the marks is Markdown.
 *
 * A single dollar is usually a price. It opens only at the start of a word and directly before a character, and closes
 * only on the same line, directly after a character and not before a letter or digit. This is Pandoc's rule with small
 * additions.
 */
export const mathSyntax: Extension = {
  flow: { [dollar]: mathBlock, [backslash]: mathBlock },
  text: { [dollar]: dollarsInLine, [backslash]: bracketsInLine },
};

/** Inline math only. */
export const mathInLines: Extension = { text: mathSyntax.text! };
