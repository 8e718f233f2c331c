import { cutText } from "#contract/text.ts";

/**
 * Splits text into searchable words. Scripts with spaces give whole words. Scripts without spaces give overlapping pairs of
 * characters, so that any two adjacent characters are found. Case, accents and widths are ignored: `Café`, `CAFE` and
 * `ｃａｆé` are one word.
 */

export type Word = {
  /** The normalized word in the index. */
  term: string;
  /** Its position in the text, in UTF-16 units. */
  start: number;
  end: number;
  /**
   * Only in scripts without spaces, where `term` is this character and the next one, if there is one. `end` is then the end
   * of this character, and `pairEnd` the end of both.
   */
  pairEnd?: number;
};

/** Longer words are data, and are found by their beginning. */
const termMax = 64;

// The characters of a word, or a single emoji.
const runs = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;
// A letter of a script without spaces between words.
const unspaced = String.raw`(?=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}])\p{L}`;
const anyUnspaced = new RegExp(unspaced, "u");
// One of them with its combining marks, or the text between two of them.
const pieces = new RegExp(String.raw`(${unspaced}[\p{M}\uFF9E\uFF9F]*)|(?:(?!${unspaced}).)+`, "gsu");
// Kana, common ideographs and Hangul syllables need no normalization.
const plainUnspaced = /^[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]$/;
// Accents, vowel points and harakat, which people omit when they search.
const ignored = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]/g;
const plainAscii = /^[a-z0-9]*$/;

/** The words of `text`, generated one by one so that the caller may stop. */
export function* wordsOf(text: string): Generator<Word> {
  for (const { 0: run, index } of text.matchAll(runs)) {
    if (anyUnspaced.test(run)) {
      yield* mixedWords(run, index);
      continue;
    }
    const term = normalize(run);
    // A run of only accents gives an empty term.
    if (term !== "") yield { term, start: index, end: index + run.length };
  }
}

/** Normalizes a word. */
function normalize(word: string): string {
  const lower = word.toLowerCase();
  if (plainAscii.test(lower)) return lower.slice(0, termMax);
  const term = lower
    .normalize("NFKD")
    .replace(ignored, "")
    .normalize("NFC")
    .toLowerCase()
    // Compatibility forms may decompose into signs and spaces, which the indexes do not support.
    .replace(/[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]/gu, "");
  return cutText(term, termMax);
}

/** The words of a run that contains characters of scripts without spaces, such as `東京2020大会`. */
function* mixedWords(run: string, start: number): Generator<Word> {
  const characters = [...run.matchAll(pieces)].map(({ 0: written, 1: single, index }) => ({
    term: plainUnspaced.test(written) ? written : normalize(written),
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
