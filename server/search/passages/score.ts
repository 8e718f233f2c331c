import { wordsOf } from "../words.ts";
import type { Question } from "./question.ts";
import { split, type Piece } from "./split.ts";
import type { Text } from "./rows.ts";

/** A passage of a message, and how well it fits. */
export type Scored = Piece & {
  of: Text;
  score: number;
  /** How much of what was asked about is in it, its title and what it answers: 0 to 1. */
  fit: number;
};

/** How rare each concept is: its weight by its key. */
export type Weights = ReadonlyMap<string, number>;

/**
 * What a passage is judged by, and how much each counts beside its own words: what it says itself, what stands around it
 * in its message, what it answers, and its thread's title.
 */
const counts = { own: 1, around: 0.3, answered: 0.45, title: 0.45 };
/** BM25's own two: how soon a word said twice says no more, and how much length is held against a passage. */
const saturation = 1.2;
const lengthMatters = 0.5;
const usualWords = 40;
/** A question seldom answers one, and neither does a wish to be told. */
const questionCounts = 0.55;
const isQuestion =
  /[?？؟]["'”»)\]\s]*$|^(?:please )?(?:search|find|look up|list|summari[sz]e|remind me|tell me|show me)(?!\p{L})/iu;

/** Of a file's many pages one has a rare word by chance: of two that are as good, what was said comes first. */
const fileCounts = 0.85;

/** How often each concept stands in a text, and how many words it has. */
type Profile = { times: Map<string, number>; words: number; different: number };

/** The passages of `text` that have anything of the question in them; `answered` is the text that it replies to, or that it is attached to. */
export function scorePassages(
  text: Text,
  answered: Text | undefined,
  question: Question,
  weights: Weights,
): Scored[] {
  const pieces = split(text.text);
  const profiles = pieces.map((piece) =>
    profileOf(text.text.slice(piece.start, piece.end), question, weights),
  );
  const around = profileOf("", question, weights);
  for (const profile of profiles) for (const [key, times] of profile.times) add(around.times, key, times);
  const title = profileOf(`${text.title ?? ""} ${text.file?.name ?? ""}`, question, weights);
  const above = answered === undefined ? undefined : profileOf(endOf(answered.text), question, weights);
  const total = sum(weights.values());
  return pieces.flatMap((piece, index) => {
    const own = profiles[index]!;
    const length = 1 - lengthMatters + lengthMatters * (own.words / usualWords);
    let score = 0;
    let met = 0;
    for (const [key, weight] of weights) {
      const said = own.times.get(key) ?? 0;
      const times =
        (counts.own * said) / length +
        counts.around * Math.min(1, (around.times.get(key) ?? 0) - said) +
        counts.answered * Math.min(1, above?.times.get(key) ?? 0) +
        counts.title * Math.min(1, title.times.get(key) ?? 0);
      if (times === 0) continue;
      score += (weight * times * (saturation + 1)) / (times + saturation);
      met += weight;
    }
    if (score === 0) return [];
    if (text.file !== undefined) score *= fileCounts;
    const written = text.text.slice(piece.start, piece.end);
    if (isQuestion.test(written)) {
      if (isEcho(own, weights)) return [];
      score *= questionCounts;
    }
    return [{ ...piece, of: text, score, fit: total === 0 ? 0 : met / total }];
  });
}

/** The question itself, asked before: it says nothing that was not known. */
function isEcho(own: Profile, weights: Weights): boolean {
  const met = sum([...own.times.keys()].map((key) => weights.get(key) ?? 0));
  return met >= 0.7 * sum(weights.values()) && own.different <= 2 * own.times.size + 1;
}

/** Of a long message, what was said last is what was answered. */
const endCharacters = 1_000;

function endOf(text: string): string {
  return text.slice(-endCharacters);
}

function profileOf(text: string, question: Question, weights: Weights): Profile {
  const times = new Map<string, number>();
  const all = new Set<string>();
  let words = 0;
  for (const word of wordsOf(text)) {
    const key = question.keyOf(word);
    words++;
    if (key.length > 3 || word.pairEnd !== undefined) all.add(key);
    if (weights.has(key)) add(times, key, 1);
  }
  return { times, words, different: all.size };
}

function add(times: Map<string, number>, key: string, more: number): void {
  times.set(key, (times.get(key) ?? 0) + more);
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
