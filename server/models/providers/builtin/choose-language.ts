import type { LanguageTag } from "#contract/i18n/languages.ts";
import { languageOf } from "#server/search/passages/search-languages.ts";
import type { Language, Rewrites } from "./language.ts";
import { arabic } from "./languages/ar.ts";
import { english } from "./languages/en.ts";

const languages: Record<LanguageTag, Language> = { en: english, ar: arabic };

/** The language of a message, or English if the assistant does not support it. */
export async function languageFor(text: string): Promise<Language> {
  const { code } = await languageOf(text);
  return languages[code as LanguageTag] ?? english;
}

/** Normalizes text: no diacritics, the digits 0 to 9, ASCII punctuation. */
export function fold(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
    .replace(/[٪٫٬؟’]/g, (sign) => ({ "٪": "%", "٫": ".", "٬": ",", "؟": "?" })[sign] ?? "'")
    .replace(/[$€£¥]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Whether `pattern` matches a whole folded message, ignoring punctuation around it. */
export function isWhole(folded: string, pattern: string): boolean {
  return new RegExp(String.raw`^[\s\p{P}]*(?:${fold(pattern)})[\s\p{P}\p{S}]*$`, "iu").test(folded);
}

/** Replaces the words in a table, and removes punctuation at the end. */
export function rewrite(folded: string, table: Rewrites): string {
  return Object.entries(table)
    .reduce(
      (text, [to, from]) => text.replace(wholeWords(from), ` ${to} `).replace(/\s+/g, " "),
      folded.replace(/[\s?.=:…]+$/, ""),
    )
    .replace(/^[\s:,،]+/, "")
    .trim();
}

const number = String.raw`(\d+(?:[.,]\d+)*)`;

function wholeWords(pattern: string): RegExp {
  const folded = fold(pattern).replaceAll("#", () => number);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${folded})(?!\p{L})`, "giu");
}
