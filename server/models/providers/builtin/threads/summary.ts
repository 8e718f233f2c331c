import { languageOf } from "#server/search/passages/languages.ts";
import { wordsOf } from "#server/search/words.ts";

export type Said = { id: string; byPerson: boolean; text: string };
export type Picked = { of: Said; sentence: string };

const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });
const sentenceCharacters = { min: 12, max: 320 };
/** Sentences of a very long thread that are weighed: its beginning and its end. */
const weighedMax = 400;
/** Two sentences that share more than this of their words say the same. */
const sameShare = 0.6;

/** The sentences of a conversation that share most with all others, its beginning among them, in the order they were said. */
export async function pickSentences(said: readonly Said[], count: number): Promise<Picked[]> {
  const all = said.flatMap((of) => sentencesOf(of.text).map((sentence) => ({ of, sentence })));
  const weighed =
    all.length <= weighedMax ? all : [...all.slice(0, weighedMax / 2), ...all.slice(-weighedMax / 2)];
  const language = await languageOf(
    said
      .map(({ text }) => text.slice(0, 500))
      .join(" ")
      .slice(0, 4_000),
  );
  const stems = weighed.map(
    ({ sentence }) =>
      new Set(
        [...wordsOf(sentence)].flatMap(({ term, pairEnd }) =>
          language.isFiller(term) || (pairEnd === undefined && term.length < 2) ? [] : [language.stem(term)],
        ),
      ),
  );
  const spread = new Map<string, number>();
  for (const set of stems) for (const stem of set) spread.set(stem, (spread.get(stem) ?? 0) + 1);
  const weights = stems.map((set, index) => {
    const shared = [...set].reduce((sum, stem) => sum + Math.log(spread.get(stem)!), 0);
    return (shared + (/\d/.test(weighed[index]!.sentence) ? 0.5 : 0)) / Math.max(4, set.size) ** 0.7;
  });
  const first = weighed.findIndex(({ of }) => of.byPerson);
  const chosen: number[] = first === -1 ? [] : [first];
  for (const index of weights
    .keys()
    .toArray()
    .toSorted((a, b) => weights[b]! - weights[a]! || a - b)) {
    if (chosen.length >= count) break;
    if (chosen.includes(index) || stems[index]!.size === 0) continue;
    if (chosen.some((other) => overlap(stems[other]!, stems[index]!) > sameShare)) continue;
    chosen.push(index);
  }
  return chosen.toSorted((a, b) => a - b).map((index) => weighed[index]!);
}

function sentencesOf(text: string): string[] {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .split(/\n+/)
    .flatMap((line) => [...sentences.segment(line.replace(/^\s*(?:#{1,6}|[-*+>]|\d+[.)])\s+/, ""))])
    .map(({ segment }) => segment.replace(/\*\*|__|`/g, "").trim())
    .filter(({ length }) => length >= sentenceCharacters.min && length <= sentenceCharacters.max);
}

function overlap(a: Set<string>, b: Set<string>): number {
  const shared = [...a].filter((stem) => b.has(stem)).length;
  return shared / Math.max(1, Math.min(a.size, b.size));
}
