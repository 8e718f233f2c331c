import { createRandom } from "#fixtures/random.ts";

/** Generates texts in which few words are frequent and most are rare, the same in every run. */
export type TextGenerator = {
  word(): string;
  text(words: number): string;
  /** Chinese characters without a space. */
  han(characters: number): string;
};

const vocabularySize = 30_000;
const hanSize = 3_000;

export function createTextGenerator(): TextGenerator {
  const vocabulary = Array.from({ length: vocabularySize }, (_, n) => nameOf(n));
  const random = createRandom(1);
  const rank = (size: number): number =>
    Math.min(size - 1, Math.floor(Math.exp(random.fraction() * Math.log(size))) - 1);
  const word = (): string => vocabulary[rank(vocabularySize)]!;
  return {
    word,
    text: (words) => Array.from({ length: words }, word).join(" "),
    han: (characters) =>
      Array.from({ length: characters }, () => String.fromCodePoint(0x4e00 + rank(hanSize))).join(""),
  };
}

/** A word of syllables for a number: 0 is `ba`. */
function nameOf(number: number): string {
  const consonants = "bdfgklmnprst";
  const vowels = "aeiou";
  let name = "";
  let rest = number;
  do {
    const syllable = rest % 60;
    name += consonants[Math.floor(syllable / 5)]! + vowels[syllable % 5]!;
    rest = Math.floor(rest / 60);
  } while (rest > 0);
  return name;
}
