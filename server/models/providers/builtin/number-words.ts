const ones = new Map(
  (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
    "eighteen nineteen"
  )
    .split(" ")
    .map((word, value) => [word, value]),
);
const tens = new Map(
  "twenty thirty forty fifty sixty seventy eighty ninety".split(" ").map((word, at) => [word, (at + 2) * 10]),
);
const scales = new Map([
  ["hundred", 100],
  ["thousand", 1_000],
  ["million", 1_000_000],
  ["billion", 1_000_000_000],
]);

const word = `(?:${[...ones.keys(), ...tens.keys(), ...scales.keys()].join("|")})`;
const phrase = new RegExp(
  `\\b(?:an? (?=${[...scales.keys()].join("|")}))?${word}(?:[ -](?:and )?${word})*\\b`,
  "gi",
);

/** English number words as figures: "twenty-five times two hundred and four" is "25 times 204". */
export function figuresForWords(text: string): string {
  const scaled = text.replace(
    /(\d+(?:\.\d+)?) (thousand|million|billion)\b/gi,
    (_, number: string, scale: string) => String(Number(number) * (scales.get(scale.toLowerCase()) ?? 1)),
  );
  return scaled.replace(phrase, (words) => String(valueOf(words.toLowerCase().split(/[ -]/))));
}

function valueOf(words: readonly string[]): number {
  let total = 0;
  let group = 0;
  for (const word of words) {
    const scale = scales.get(word);
    if (scale === 100) group = Math.max(group, 1) * 100;
    else if (scale !== undefined) {
      total += Math.max(group, 1) * scale;
      group = 0;
    } else group += ones.get(word) ?? tens.get(word) ?? 0;
  }
  return total + group;
}
