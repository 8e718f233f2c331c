import { compoundUnits, unitNames } from "#server/unit-names.ts";
import { percentages } from "./percentages.ts";

/**
 * An expression as people and models write it, in the calculator's own notation: typographic signs, thousands
 * separators, decimal commas, currency signs, names of units, feet and inches. What is not known is left as it stands.
 */
export function toNotation(written: string): string {
  let text = beforeNormalizing.reduce((now, [pattern, sign]) => now.replace(pattern, sign), written);
  text = text.normalize("NFKC").replace(/\s+/g, " ").trim();
  text = text.replace(/[=?\s]+$/, "").replace(/^=\s*/, "");
  text = text.replace(/[$€£¥₹]\s*(?=[\d.])|(?<=\d)\s*[€£¥₹$]/g, "");
  text = signs.reduce((now, [pattern, sign]) => now.replace(pattern, sign), text);
  text = separators(text);
  text = smallerUnits(feetAndInches(text));
  text = text
    .replace(/(\d)\s*%\s*of\b/gi, "$1% *")
    .replace(/(\d)\s*[x]\s*(?=[\d(.])/gi, (whole, digit: string, at: number) =>
      // Hexadecimal numbers keep their x.
      /(?:^|[^\w.])0$/.test(text.slice(0, at + 1)) ? whole : `${digit} * `,
    );
  text = percentages(text);
  text = compoundUnits.reduce((now, [pattern, unit]) => now.replace(pattern, unit), text);
  text = sumsOfUnits(unitWords(text));
  return text.replace(/\s+(?:in|into|as|to)\s+(?=[a-z(])/gi, " to ").trim();
}

/** Unicode's own normalization would make 52 of 5² and 21/2 of 2½. */
const beforeNormalizing: readonly (readonly [RegExp, string])[] = [
  [/²/g, "^2"],
  [/³/g, "^3"],
  [/(?<=\d)\s?½/g, ".5"],
  [/(?<=\d)\s?¼/g, ".25"],
  [/(?<=\d)\s?¾/g, ".75"],
  [/½/g, "0.5"],
  [/¼/g, "0.25"],
  [/¾/g, "0.75"],
  [/⅓/g, "(1/3)"],
  [/⅔/g, "(2/3)"],
];

const signs: readonly (readonly [RegExp, string])[] = [
  [/[×·⋅∙]/g, "*"],
  [/[÷∕⁄]/g, "/"],
  [/[−–—‒]/g, "-"],
  [/√\s*(\d+(?:\.\d+)?)/g, "sqrt($1)"],
  [/√/g, "sqrt"],
  [/π/g, "pi"],
  [/\*\*/g, "^"],
  [/\bln\s*\(/g, "log("],
  [/[’‘ʹ′]/g, "'"],
  [/[“”″]/g, '"'],
  [/°\s*(?=[FCfc]\b)/g, "deg"],
  [/°/g, " deg"],
];

/** 1,234.5 and 1.234,5 and 1'234.5 and 3,5 as 1234.5, 1234.5, 1234.5 and 3.5; commas between arguments stay. */
function separators(text: string): string {
  const inCall = /\w\s*\([^)]*,/.test(text) || text.includes("[");
  let plain = text.replace(/(?<![\w.])\d{1,3}(?:'\d{3})+(?![\d'])/g, (number) => number.replaceAll("'", ""));
  if (inCall) return plain;
  plain = plain.replace(/(?<![\w.,])\d{1,3}(?:,\d{3})+(\.\d+)?(?![\d,.])/g, (number) =>
    number.replaceAll(",", ""),
  );
  plain = plain.replace(/(?<![\w.,])\d{1,3}(?:\.\d{3})+,\d+(?![\d,.])/g, (number) =>
    number.replaceAll(".", "").replace(",", "."),
  );
  return plain.replace(/(?<![\w.,])(\d+),(\d+)(?![\d,.])/g, "$1.$2");
}

function feetAndInches(text: string): string {
  const number = String.raw`(\d+(?:\.\d+)?)`;
  return text
    .replace(/(?<=\d\s*)in(?=\s+(?:in|into|as|to)\s)/gi, "inch")
    .replace(
      new RegExp(
        `${number}\\s*(?:'|ft\\b\\.?|feet\\b|foot\\b)\\s*(?:and\\s+)?${number}\\s*(?:"|''|in\\b\\.?(?!\\s+[\\d\\p{L}])|in\\b\\.?(?=\\s+(?:in|into|as|to)\\b)|inch(?:es)?\\b)`,
        "giu",
      ),
      "($1 ft + $2 inch)",
    )
    .replace(new RegExp(`${number}\\s*'\\s*${number}(?!\\s*['"\\d])`, "g"), "($1 ft + $2 inch)")
    .replace(new RegExp(`${number}\\s*(?:"|'')`, "g"), "$1 inch")
    .replace(new RegExp(`${number}\\s*'`, "g"), "$1 ft")
    .replace(
      new RegExp(`${number}\\s*(?:lbs?|pounds?)\\s*(?:and\\s+)?${number}\\s*(?:oz|ounces?)\\b`, "gi"),
      "($1 lb + $2 oz)",
    );
}

/** "6 foot 2 in cm" and "1 hour 30 to minutes": a number alone before the unit asked for counts the next smaller unit. */
function smallerUnits(text: string): string {
  const number = String.raw`(\d+(?:\.\d+)?)`;
  return nextSmaller.reduce(
    (now, [names, unit, smaller]) =>
      now.replace(
        new RegExp(
          `(?<![\\w.])${number}\\s*(?:${names})\\b\\.?\\s*(?:and\\s+)?${number}(?=\\s+(?:in|into|as|to)\\s+[\\p{L}(])`,
          "giu",
        ),
        `$1 ${unit} $2 ${smaller}`,
      ),
    text,
  );
}

const nextSmaller: readonly (readonly [names: string, unit: string, smaller: string])[] = [
  ["ft|feet|foot", "ft", "inch"],
  ["h|hrs?|hours?", "hour", "minute"],
  ["min|mins|minutes?", "minute", "second"],
  ["stones?", "stone", "lb"],
  ["lbs?|pounds?", "lb", "oz"],
];

/** Words that name units, where they stand as words: not before a bracket, where they are functions. */
function unitWords(text: string): string {
  return text.replace(
    /\b0[xob][\da-f]+\b|(?<![\p{L}_])[\p{L}_]+(?![\p{L}_\d]*\s*\()/giu,
    (word, at: number) => {
      if (/[\p{L}_]/u.test(text[at + word.length] ?? "")) return word;
      // Case tells Mb (bits) from MB (bytes) for those who write it on purpose; units that are right stay.
      return unitNames.get(word) ?? unitNames.get(word.toLowerCase()) ?? word;
    },
  );
}

/** "1 hour 30 min" is a sum; to the calculator it would be a product. */
function sumsOfUnits(text: string): string {
  return families.reduce((now, units) => {
    const quantity = `\\d+(?:\\.\\d+)?\\s*(?:${units})`;
    const row = new RegExp(`(?<![\\w.])${quantity}(?:\\s*(?:,|and|\\+)?\\s*${quantity})+(?!\\w)`, "g");
    return now.replace(row, (whole) => `(${(whole.match(new RegExp(quantity, "g")) ?? []).join(" + ")})`);
  }, text);
}

const families = ["year|month|week|day|hour|minute|second|h|s", "stone|lb|oz|kg|g", "mi|yd|ft|inch|km|m|cm"];
