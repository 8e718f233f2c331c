import { t } from "#web/i18n/translate.ts";

/**
 * The finished sentences of a growing text from the offset `from`, and the offset of their end. A sentence is finished when
 * the next one has begun or its paragraph has ended; with `isEnd`, the rest is finished.
 */
export function nextSentences(text: string, from: number, isEnd: boolean): { words: string; end: number } {
  const rest = text.slice(from);
  const end = isEnd ? rest.length : lastBreak(rest);
  return { words: plainWords(rest.slice(0, end)), end: from + end };
}

/** The end of the last finished sentence: after its punctuation and a space, or after an empty line. */
function lastBreak(text: string): number {
  const found = [...text.matchAll(/[.!?…。！？]["'”’)\]*_`]*\s|\n\s*\n/g)].at(-1);
  return found === undefined ? 0 : found.index + found[0].length;
}

/** Markdown as plain text for screen readers, without code and formulas. */
export function plainWords(markdown: string): string {
  return markdown
    .replace(/^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1[^\S\n]*$|$(?![\s\S]))/gm, " ")
    .replace(/\$\$[\s\S]+?\$\$|\\\[[\s\S]+?\\\]|\\\([\s\S]+?\\\)/g, t("formula.label"))
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d+[.)])[ \t]+/gm, "")
    .replace(/^[ \t|:-]+$/gm, " ")
    .replace(/(?<!\\)[*_~`|]+/g, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replaceAll("&#91;", "[")
    .replace(/\s+/g, " ")
    .trim();
}
