import type { Phrase } from "#storage/database/full-text.ts";
import { wordsOf, type Word } from "../indexed-words.ts";
import { languageOf, type Language } from "./search-languages.ts";

/** A word of a question with its other forms. */
export type Concept = {
  key: string;
  /** Alternatives to look up in the index. They may find too much: texts are checked again with `keyOf`. */
  lookups: Phrase[];
};

export type Question = {
  concepts: Concept[];
  /** Maps a word of a text to the `key` of its concept, if it has one. */
  keyOf(word: Word): string;
};

/** A question has a few. A long message has more, and only the rarest are looked up. */
const conceptsMax = 48;

/** Parses a question of any script and length into its words without stop words, each with its other forms. */
export async function parseQuestion(text: string): Promise<Question> {
  const language = await languageOf(text);
  const words = [...wordsOf(text)];
  const meaningful = withoutStopWords(text, words, language);
  const concepts = new Map<string, Concept>();
  const keyOf = (word: Word): string => (word.pairEnd === undefined ? language.stem(word.term) : word.term);
  // If a question has only stop words, these are used.
  for (const word of meaningful.length > 0 ? meaningful : words) {
    const key = keyOf(word);
    if (concepts.size >= conceptsMax) break;
    concepts.set(key, { key, lookups: lookupsOf(word, key, language) });
  }
  return { concepts: [...concepts.values()], keyOf };
}

function withoutStopWords(text: string, words: Word[], language: Language): Word[] {
  const spaced = words.filter(
    ({ term, pairEnd }) =>
      pairEnd === undefined && !language.isStopWord(term) && (term.length > 1 || /\d/.test(term)),
  );
  const pairs = words.filter(({ pairEnd, end }) => pairEnd !== undefined && pairEnd > end);
  if (pairs.length === 0) return spaced;
  const runs = runsOf(text, language);
  return [
    ...spaced,
    ...pairs.filter(({ start, pairEnd }) => runs.some((run) => start >= run.start && pairEnd! <= run.end)),
  ];
}

type Run = { start: number; end: number };

const segmenters = new Map<string, Intl.Segmenter>();
const oneScript = /^(?:\p{Script=Han}+|[\u30a1-\u30ff]+)$/u;
const shortHiragana = /^[\u3041-\u309f]{1,3}$/u;

/**
 * The positions of words in a text without spaces, without stop words. The segmenter splits Japanese compounds (転出 and 届),
 * so adjacent segments of one script are joined there.
 */
function runsOf(text: string, language: Language): Run[] {
  const runs: (Run & { text: string })[] = [];
  for (const { segment, index, isWordLike } of segmenterOf(language.code).segment(text)) {
    if (isWordLike !== true || language.isStopWord(segment) || shortHiragana.test(segment)) continue;
    const last = runs.at(-1);
    const joined = last === undefined ? "" : last.text + segment;
    if (last !== undefined && language.code === "ja" && last.end === index && oneScript.test(joined)) {
      last.end += segment.length;
      last.text = joined;
    } else runs.push({ start: index, end: index + segment.length, text: segment });
  }
  return runs;
}

function segmenterOf(code: string): Intl.Segmenter {
  let segmenter = segmenters.get(code);
  if (segmenter === undefined)
    segmenters.set(code, (segmenter = new Intl.Segmenter(code, { granularity: "word" })));
  return segmenter;
}

/** Shorter stems are prefixes of too many unrelated words. */
const prefixMin = 4;
/** Arabic joins these to the next word: and, the, with, for, so, as. */
const arabicPrefixes = ["", "ال", "و", "ب", "ل", "ف", "ك", "وال", "بال", "لل", "فال", "كال", "ول", "وب"];

function lookupsOf({ term, pairEnd }: Word, stem: string, { code }: Language): Phrase[] {
  if (pairEnd !== undefined || /\d/.test(term)) return [{ words: [term] }];
  if (code === "ar") {
    const core = stem.length >= 3 && term.includes(stem) ? stem : term;
    return arabicPrefixes.map((before) => ({ words: [before + core], prefix: core.length >= 3 }));
  }
  // `studies` and `study` share `stud`; their stem is `studi`.
  const shared = sharedStart(term, stem.replace(/[aeiouy]$/, ""));
  if (shared.length >= prefixMin) return [{ words: [shared], prefix: true }];
  // `citi` of `city` and `cities`; `stop` of `stopping`.
  const open = stem.replace(/i$/, "");
  const doubled = stem + stem.at(-1)!;
  const forms = [
    term,
    stem,
    ...["s", "es", "e", "ed", "er", "en", "ing"].map((ending) => stem + ending),
    ...["y", "ys", "ies", "ied", "ie"].map((ending) => open + ending),
    ...["ing", "ed", "er"].map((ending) => doubled + ending),
  ];
  return [...new Set(forms)].map((form) => ({ words: [form] }));
}

function sharedStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}
