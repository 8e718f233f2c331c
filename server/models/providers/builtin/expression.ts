import { compoundUnits, unitNames } from "#server/unit-names.ts";
import { figuresForWords } from "./number-words.ts";

const functionNames = new Set(
  "sqrt cbrt abs sin cos tan asin acos atan log log2 log10 ln exp round floor ceil min max mean median sum factorial gcd lcm mod".split(
    " ",
  ),
);
const constantNames = new Set("pi e tau phi".split(" "));

/** Words for operations, as the calculator writes them; the longer first. */
const operations: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:the )?(?:square root|sqrt|racine carrée|quadratwurzel|wurzel) (?:of|de|aus|von) ([\d.,]+|\([^()]*\))/gi,
    "sqrt($1)",
  ],
  [/\b(?:the )?(?:cube root|cubic root) of ([\d.,]+|\([^()]*\))/gi, "cbrt($1)"],
  [/\b(?:the )?(?:sum|total) of ((?:[\d.]+(?:, ?| and |, and ))+[\d.]+)/gi, "sum($1)"],
  [/\b(?:the )?(?:average|mean) of ((?:[\d.]+(?:, ?| and |, and ))+[\d.]+)/gi, "mean($1)"],
  [/\b(?:the )?median of ((?:[\d.]+(?:, ?| and |, and ))+[\d.]+)/gi, "median($1)"],
  [/\b(?:the )?product of ([\d.]+) and ([\d.]+)/gi, "$1 * $2"],
  [/\b(?:the )?difference (?:between|of) ([\d.]+) and ([\d.]+)/gi, "abs($1 - $2)"],
  [/\b(?:half|one half) of (?=[\d(])/gi, "0.5 * "],
  [/\b(?:a|one) third of (?=[\d(])/gi, "(1/3) * "],
  [/\b(?:a|one) quarter of (?=[\d(])/gi, "0.25 * "],
  [/\b(?:twice|double) (?=[\d(])/gi, "2 * "],
  [/\btriple (?=[\d(])/gi, "3 * "],
  [/\b(?:to the (?:power(?: of)?)|raised to(?: the power of)?|hoch)\b/gi, "^"],
  [/\bto the (\d+)(?:st|nd|rd|th)(?: power)?\b/gi, "^ $1"],
  [/\b(?:squared|zum quadrat)\b/gi, "^ 2"],
  [/\bcubed\b/gi, "^ 3"],
  [/\b(?:multiplied by|times|mal|fois|multiplicado por|keer)\b/gi, "*"],
  [/\b(?:divided by|over|geteilt durch|durch|divisé par|dividido por|diviso|gedeeld door)\b/gi, "/"],
  [/(?<=\d\s?)(?:per|por) (?=\d)/gi, "* "],
  [/\b(?:plus|added to|und(?= \d)|más|mas|più|mais|плюс)(?!\p{L})/giu, "+"],
  [/\b(?:minus|less|moins|menos|meno)\b|минус/gi, "-"],
  [/\b(?:modulo|modulus|mod)\b/gi, "mod"],
  [/\b(?:percent|per cent|prozent|pour ?cent|por ?ciento|por cento|percento|procent)\b/gi, "%"],
  [/(\d) factorial\b|\bfactorial of (\d+)/gi, "$1$2!"],
  [/(\d)\s*%\s*(?:of|von|de|di|do|da|van|av|af|от)\s+(?=[\d$€£(])/gi, "$1% * "],
];

/** The phrase with its words for numbers and operations as figures and signs. */
export function inSigns(phrase: string): string {
  const signs = operations.reduce(
    (now, [pattern, sign]) => now.replace(pattern, sign),
    figuresForWords(phrase),
  );
  return signs.replace(
    /(sum|mean|median)\(([^)]*)\)/g,
    (_, name: string, list: string) => `${name}(${list.replace(/,? and /g, ", ")})`,
  );
}

/** Whether every word of the text is a unit, function or constant, and something is to be worked out. */
export function isExpression(text: string): boolean {
  if (text.length > 1000 || !/\d/.test(text) || isOtherNumber(text)) return false;
  const known = compoundUnits.reduce((now, [pattern, unit]) => now.replace(pattern, unit), text);
  let words = 0;
  for (const [word] of known.matchAll(/[\p{L}_]+/gu)) {
    words++;
    if (!isKnownWord(word)) return false;
  }
  // Signs that no calculation has.
  if (/[^\p{L}\p{N}\s.,'"’+\-−–*/×·÷^%!()√π°²³½¼¾$€£¥=<>_]/u.test(text)) return false;
  if (words > 30) return false;
  return hasOperation(known);
}

export function isUnitWord(word: string): boolean {
  return unitNames.has(word) || unitNames.has(word.toLowerCase());
}

function isKnownWord(word: string): boolean {
  const lower = word.toLowerCase();
  return (
    isUnitWord(word) ||
    functionNames.has(lower) ||
    constantNames.has(lower) ||
    lower === "to" ||
    lower === "in" ||
    lower === "x" ||
    /^(?:Wh|Pa|N|J|W|K|hPa|bar|psi|atm|Hz|kHz|MHz|GHz|h|s|dm|mW|MW|B|b)$/.test(word)
  );
}

function hasOperation(text: string): boolean {
  const number = String.raw`[\d)%!'"²³½¼¾]`;
  return (
    new RegExp(
      `${number}\\s*[\\p{L}°]*\\s*(?:[+*/×·÷^]|[-−–](?=\\s*[\\d(.$€£√])|\\bmod\\b|(?<=\\d\\s?)x(?=\\s?\\d))\\s*[\\d(.$€£√\\-π\\p{L}]`,
      "u",
    ).test(text) ||
    /\d\s*!|√|\d\s*[²³]/.test(text) ||
    [...functionNames].some((name) => new RegExp(`\\b${name}\\s*\\(`, "i").test(text)) ||
    /[\d)'"\p{L}²³]\s+(?:to|in)\s+[\p{L}°(]/u.test(text)
  );
}

/** Figures with strokes that count nothing: dates, telephone numbers, sayings. */
function isOtherNumber(text: string): boolean {
  const plain = text.trim();
  return (
    /^\d{4}-\d{1,2}-\d{1,2}/.test(plain) ||
    /^\d{1,2}[/.]\d{1,2}[/.]\d{2,4}$/.test(plain) ||
    /^\+?\d{1,4}(?:[-\s]\d{2,5}){2,}$/.test(plain) ||
    /^\d{3}-\d{4}$/.test(plain) ||
    /^(?:24\/7|9\/11|50\/50|\d{4}[-–/]\d{2,4})$/.test(plain)
  );
}
