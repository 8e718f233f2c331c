import type { Phrase } from "#storage/database/full-text.ts";
import { wordsOf, type Word } from "../words.ts";
import { languageOf, type Language } from "./languages.ts";

/** Something a question is about: what it is called in a text, and how the index is asked for texts that may have it. */
export type Concept = {
  key: string;
  /** Any of them. They may find more than the concept: texts are looked at again, by `keyOf`. */
  lookups: Phrase[];
};

export type Question = {
  concepts: Concept[];
  /** What a word of a text is called: the `key` of a concept, where it is one. */
  keyOf(word: Word): string;
};

/** A question has a handful; a whole message that is taken for one has its rarest looked up. */
const conceptsMax = 48;

/** What `text` asks about: its words without filler, each with its other forms. Any script, any length. */
export async function readQuestion(text: string): Promise<Question> {
  const language = await languageOf(text);
  const words = [...wordsOf(text)];
  const meant = meaningful(text, words, language);
  const concepts = new Map<string, Concept>();
  const keyOf = (word: Word): string => (word.pairEnd === undefined ? language.stem(word.term) : word.term);
  // A question of nothing but filler is about its filler.
  for (const word of meant.length > 0 ? meant : words) {
    const key = keyOf(word);
    if (concepts.size >= conceptsMax) break;
    concepts.set(key, { key, lookups: lookupsOf(word, key, language) });
  }
  return { concepts: [...concepts.values()], keyOf };
}

function meaningful(text: string, words: Word[], language: Language): Word[] {
  const spaced = words.filter(
    ({ term, pairEnd }) =>
      pairEnd === undefined && !language.isFiller(term) && (term.length > 1 || /\d/.test(term)),
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
 * Where words stand in a text without spaces, fillers left out. Japanese cuts its compounds too small (転出 and 届):
 * what is side by side in one script is one there.
 */
function runsOf(text: string, language: Language): Run[] {
  const runs: (Run & { text: string })[] = [];
  for (const { segment, index, isWordLike } of segmenterOf(language.code).segment(text)) {
    if (isWordLike !== true || language.isFiller(segment) || shortHiragana.test(segment)) continue;
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

/** A stem shorter than this begins too many words that have nothing to do with it. */
const prefixMin = 4;
/** What Arabic writes together with the word that follows: and, the, with, for, so, as. */
const joinedBefore = ["", "ال", "و", "ب", "ل", "ف", "ك", "وال", "بال", "لل", "فال", "كال", "ول", "وب"];

function lookupsOf({ term, pairEnd }: Word, stem: string, { code }: Language): Phrase[] {
  if (pairEnd !== undefined || /\d/.test(term)) return [{ words: [term] }];
  if (code === "ar") {
    const core = stem.length >= 3 && term.includes(stem) ? stem : term;
    return joinedBefore.map((before) => ({ words: [before + core], prefix: core.length >= 3 }));
  }
  // `studies` and `study` have `stud` in common, and `studi` is their stem.
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
