import { languageOf } from "#server/search/passages/languages.ts";
import type { Language, Rewrites } from "./language.ts";
import { arabic } from "./languages/ar.ts";
import { english } from "./languages/en.ts";

const languages: Readonly<Record<string, Language>> = { en: english, ar: arabic };

/** The language of a message; English where there is no entry for it. */
export async function languageFor(text: string): Promise<Language> {
  return languages[(await languageOf(text)).code] ?? english;
}

/** One way of writing: no marks over letters, the digits 0 to 9, ASCII signs. */
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

/** Whether `pattern` is the whole of a folded message, but for what stands around its words. */
export function isWhole(folded: string, pattern: string): boolean {
  return new RegExp(String.raw`^[\s\p{P}]*(?:${fold(pattern)})[\s\p{P}\p{S}]*$`, "iu").test(folded);
}

/** `folded` with the words of a table replaced, and without the marks at its end. */
export function rewrite(folded: string, table: Rewrites): string {
  return Object.entries(table)
    .reduce(
      (now, [to, from]) => now.replace(whole(from), ` ${to} `).replace(/\s+/g, " "),
      folded.replace(/[\s?.=:…]+$/, ""),
    )
    .replace(/^[\s:,،]+/, "")
    .trim();
}

const number = String.raw`(\d+(?:[.,]\d+)*)`;

function whole(pattern: string): RegExp {
  const folded = fold(pattern).replaceAll("#", () => number);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${folded})(?!\p{L})`, "giu");
}
