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
    /(?<![\d.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?) (thousand|million|billion)\b/gi,
    (_, number: string, scale: string) => String(scaledBy(number, noughts.get(scale.toLowerCase()) ?? 0)),
  );
  return scaled.replace(phrase, (words) => String(valueOf(words.toLowerCase().split(/[ -]/))));
}

const noughts = new Map([
  ["thousand", 3],
  ["million", 6],
  ["billion", 9],
]);

/** Read as one number, since a product may lose its last figure. A comma before three figures stands between thousands. */
function scaledBy(number: string, noughts: number): number {
  const plain = /,\d{3}(?!\d)/.test(number) ? number.replaceAll(",", "") : number.replace(",", ".");
  return Number(`${plain}e${noughts}`);
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
