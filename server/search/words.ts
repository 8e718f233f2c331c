import { cutText } from "#contract/text.ts";

/**
 * Text as the words it can be found by. Scripts that set spaces between words give whole words; those that set none
 * give overlapping pairs of characters, so that any two characters that stand side by side are found. Case, accents and
 * widths do not matter: `Café`, `CAFE` and `ｃａｆé` are one word.
 */

export type Word = {
  /** As it is looked up. */
  term: string;
  /** Where it stands in the text, in UTF-16 units. */
  start: number;
  end: number;
  /**
   * Of a script without spaces: `term` is this character and the one after it, where there is one. Then `end` is the
   * end of this one, and this is the end of both.
   */
  pairEnd?: number;
};

/** Longer ones are data, found by their beginning. */
const termMax = 64;

// What a word is made of, or one sign that stands for itself.
const runs = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;
// A letter of a script that sets no spaces between words.
const unspaced = String.raw`(?=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}])\p{L}`;
const anyUnspaced = new RegExp(unspaced, "u");
// One of them with the marks that belong to it, or what stands between two such.
const pieces = new RegExp(String.raw`(${unspaced}[\p{M}\uFF9E\uFF9F]*)|(?:(?!${unspaced}).)+`, "gsu");
// Kana, the usual ideographs and Hangul syllables are what they are looked up as.
const plainUnspaced = /^[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]$/;
// Accents, vowel points and harakat, which people leave out when they search.
const ignored = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]/g;
const plainAscii = /^[a-z0-9]*$/;

/** The words of `text` from its start; taken one by one, so that a reader may stop. */
export function* wordsOf(text: string): Generator<Word> {
  for (const { 0: run, index } of text.matchAll(runs)) {
    if (anyUnspaced.test(run)) {
      yield* mixedWords(run, index);
      continue;
    }
    const term = termOf(run);
    // A run of accents alone.
    if (term !== "") yield { term, start: index, end: index + run.length };
  }
}

/** How a word is looked up. */
function termOf(written: string): string {
  const lower = written.toLowerCase();
  if (plainAscii.test(lower)) return lower.slice(0, termMax);
  const term = lower
    .normalize("NFKD")
    .replace(ignored, "")
    .normalize("NFC")
    .toLowerCase()
    // Compatibility forms may open into signs and spaces, which no index has a place for.
    .replace(/[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]/gu, "");
  return cutText(term, termMax);
}

/** A run in which characters without spaces stand, perhaps beside a word with them: `東京2020大会`. */
function* mixedWords(run: string, start: number): Generator<Word> {
  const characters = [...run.matchAll(pieces)].map(({ 0: written, 1: single, index }) => ({
    term: plainUnspaced.test(written) ? written : termOf(written),
    start: start + index,
    end: start + index + written.length,
    single: single !== undefined,
  }));
  for (const [index, { term, start, end, single }] of characters.entries()) {
    const next = characters[index + 1];
    if (term === "") continue;
    if (!single) yield { term, start, end };
    else if (next?.single === true) yield { term: term + next.term, start, end, pairEnd: next.end };
    else yield { term, start, end, pairEnd: end };
  }
}
