import { wordsOf } from "../indexed-words.ts";
import type { Question } from "./question.ts";
import { split, type Piece } from "./split.ts";
import type { Text } from "./rows.ts";

/** A passage of a message with its score. */
export type Scored = Piece & {
  of: Text;
  score: number;
  /** How much of the question matches the passage, its title and the message before it: 0 to 1. */
  fit: number;
};

/** The weight of each concept by its key. Rare ones weigh more. */
export type Weights = ReadonlyMap<string, number>;

/** How much a match counts in the passage itself, the rest of its message, the message before it, and its thread's title. */
const factors = { own: 1, around: 0.3, parent: 0.45, title: 0.45 };
/** The parameters k1 and b of BM25: the effect of repeated words, and that of the passage's length. */
const saturation = 1.2;
const lengthNormalization = 0.5;
const usualWords = 40;
/** Questions and requests seldom answer a question. */
const questionFactor = 0.55;
const isQuestion =
  /[?？؟]["'”»)\]\s]*$|^(?:please )?(?:search|find|look up|list|summari[sz]e|remind me|tell me|show me)(?!\p{L})/iu;

/** Long files contain rare words by chance, so messages rank slightly higher. */
const fileFactor = 0.85;

/** How often each concept occurs in a text, and how many words the text has. */
type Profile = { times: Map<string, number>; words: number; different: number };

/** The passages of `text` that match anything of the question. `parent` is the message before it, or the message that has the file. */
export function scorePassages(
  text: Text,
  parent: Text | undefined,
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
  const above = parent === undefined ? undefined : profileOf(endOf(parent.text), question, weights);
  const total = sum(weights.values());
  return pieces.flatMap((piece, index) => {
    const own = profiles[index]!;
    const length = 1 - lengthNormalization + lengthNormalization * (own.words / usualWords);
    let score = 0;
    let matched = 0;
    for (const [key, weight] of weights) {
      const ownTimes = own.times.get(key) ?? 0;
      const times =
        (factors.own * ownTimes) / length +
        factors.around * Math.min(1, (around.times.get(key) ?? 0) - ownTimes) +
        factors.parent * Math.min(1, above?.times.get(key) ?? 0) +
        factors.title * Math.min(1, title.times.get(key) ?? 0);
      if (times === 0) continue;
      score += (weight * times * (saturation + 1)) / (times + saturation);
      matched += weight;
    }
    if (score === 0) return [];
    if (text.file !== undefined) score *= fileFactor;
    const written = text.text.slice(piece.start, piece.end);
    if (isQuestion.test(written)) {
      if (isEcho(own, weights)) return [];
      score *= questionFactor;
    }
    return [{ ...piece, of: text, score, fit: total === 0 ? 0 : matched / total }];
  });
}

/** Whether the passage is the question itself, asked before. */
function isEcho(own: Profile, weights: Weights): boolean {
  const matched = sum([...own.times.keys()].map((key) => weights.get(key) ?? 0));
  return matched >= 0.7 * sum(weights.values()) && own.different <= 2 * own.times.size + 1;
}

/** The end of a long message is what the next message answers. */
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
