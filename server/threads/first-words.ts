import { limits } from "#contract/limits.ts";
import { cleanText, cutText } from "#contract/text.ts";
import { cutAtWord } from "../lib/cut-at-word.ts";

/** Lists show no more than this. The protocol allows 255. */
export const titleCharactersMax = 80;

/** Markdown's marks where a word begins or ends: those of "**bold**", but not of "2*3" or "snake_case". */
const aroundWords = /(?<=^|[\s(])[*`_~]+(?=\S)|(?<=[^\s*`_~])[*`_~]+(?=$|[\s).,:;!?])/g;

/** The first words of a message, the title until the model has generated one. */
export function firstWords(text: string): string {
  const line = cutText(cleanText(text.trimStart()), limits.titlePromptCharacters)
    .trim()
    .split("\n", 1)[0]!
    .replace(/^\s*(?:[#>*]+(?:\s+|$))+/, "")
    .replace(aroundWords, "");
  return cutAtWord(
    line.split(/\s+/).filter(Boolean).slice(0, limits.titleWords).join(" "),
    titleCharactersMax,
  );
}
