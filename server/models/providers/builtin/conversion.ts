import type { Json } from "#contract/json.ts";
import { unitNames } from "#server/unit-names.ts";
import { calculation, numberOf, textOf, type Ask } from "./ask.ts";
import { isExpression, isUnitWord } from "./expression.ts";
import { figureOf } from "./figures.ts";
import { bare } from "./framing.ts";
import { figuresForWords } from "./number-words.ts";

/** "10 miles in km", "how many feet in a mile", "72 F to celsius", "5'11\" in cm", "wie viele km sind 10 Meilen". */
export function readConversion(question: string): Ask | undefined {
  if (question.length > 200) return undefined;
  const phrase = withFigures(
    bare(question).replace(
      /^(?:how (?:tall|long|heavy|far|fast|hot|cold|warm|big|much|many) (?:is|are)|is|are) /i,
      "",
    ),
  );
  const turned =
    /^(?:how many|how much|wie ?viele?|combien de|cuántos|cuántas|cuantos|quanti|quante) (.+?) (?:is|are|are there|is there|do|does|make|makes|equal|equals|ergibt|sind|ist|hat|fait|font|hay|son|sono)?(?: ?in)? ((?:\d|an? |one |half ).+)$/i.exec(
      phrase,
    );
  const [amount, unit] = turned !== null ? [turned[2], turned[1]] : (straight(phrase) ?? []);
  if (amount === undefined || unit === undefined) return undefined;
  const quantity = amount
    .replace(/^(?:an?|one) (?=\p{L})/iu, "1 ")
    .replace(/^half an? /i, "0.5 ")
    .trim();
  const target = unit.replace(/^(?:the |degrees? (?=\p{L}))/iu, "").trim();
  const expression = `${quantity} to ${target}`;
  if (!/\d/.test(quantity) || !/^[\p{L}°][\p{L}°\s/.^²³\d]*$/u.test(target)) return undefined;
  if (!isExpression(expression) || !isQuantity(quantity)) return undefined;
  return {
    calls: [
      calculation(expression),
      ...(factorFrom(quantity) === undefined ? [] : [calculation(`1 ${factorFrom(quantity)} to ${target}`)]),
    ],
    about: expression,
    phrase([result, factor]) {
      const { text, before } = figureOf(result);
      const sentence = `${quantity} ${before === undefined ? "=" : "≈"} **${text}**`;
      const notes = [
        formula(expression, textOf(result, "unit")) ?? rate(quantity, factor),
        feetAndInches(result),
        ...(before === undefined ? [] : [`before rounding: ${before}`]),
        ...(isKitchen(expression) ? ["kitchen measures are those of the US"] : []),
        ...(/\bmonths?\b|\byears?\b/i.test(expression) ? ["a month counts 30.4375 days, a year 365.25"] : []),
      ].filter((note) => note !== undefined);
      return notes.length === 0 ? sentence : `${sentence} (${notes.join("; ")})`;
    },
  };
}

function straight(phrase: string): [string, string] | undefined {
  const found =
    /^(.*\d.*|an? .+|half an? .+) (?:in|into|to|as|en|nach|em|a|na|w|в|naar|till|umgerechnet in) ([^\d\s].*)$/iu.exec(
      phrase,
    );
  return found === null ? undefined : [found[1] ?? "", found[2] ?? ""];
}

function withFigures(phrase: string): string {
  return figuresForWords(phrase.replace(/\bone (?=\p{L})/giu, "1 "));
}

/** A number stands before a unit somewhere: "10 sentences to French" must not come this far. */
function isQuantity(quantity: string): boolean {
  if (/\d\s*['"°]/.test(quantity)) return true;
  return [...quantity.matchAll(/\d\s*(?:\^\d\s*)?([\p{L}]+)/gu)].some(
    ([, word]) => word !== undefined && (isUnitWord(word) || word.length <= 4),
  );
}

/** The unit of a plain quantity, for which "1 mi = 1.609344 km" is worth saying. */
function factorFrom(quantity: string): string | undefined {
  const found = /^(\d[\d.,]*) ?([\p{L}/ ]+)$/u.exec(quantity);
  if (found === null || found[1] === "1" || isTemperature(quantity)) return undefined;
  return found[2]?.trim();
}

function rate(quantity: string, one: Json | undefined): string | undefined {
  const unit = factorFrom(quantity);
  if (unit === undefined || textOf(one, "result") === "") return undefined;
  const { text, before } = figureOf(one);
  const known = unitNames.get(unit) ?? unitNames.get(unit.toLowerCase()) ?? unit;
  // As the calculator writes bits, which are taken for bytes otherwise.
  const name = known.replace(/^([kMGT])b$/, "$1bit");
  if (text === `1 ${name}`) return undefined;
  return `1 ${name} ${before === undefined ? "=" : "≈"} ${text}`;
}

/** Heights are not said in fractions of feet. */
function feetAndInches(result: Json | undefined): string | undefined {
  const value = numberOf(result, "value");
  if (
    textOf(result, "unit") !== "ft" ||
    value === undefined ||
    value < 1 ||
    value > 100 ||
    Number.isInteger(value)
  )
    return undefined;
  const inches = Math.round(value * 12);
  return `about ${Math.floor(inches / 12)} ft ${inches % 12} in`;
}

function formula(expression: string, to: string): string | undefined {
  if (!isTemperature(expression)) return undefined;
  const from = /\d\s*(?:°|deg(?:rees?)?\s*)?(f|c|k)/i.exec(expression)?.[1]?.toUpperCase();
  return formulas[`${from}>${to.replace("°", "")}`];
}

const formulas: Record<string, string> = {
  "F>C": "formula: (°F − 32) × 5/9",
  "C>F": "formula: °C × 9/5 + 32",
  "C>K": "formula: °C + 273.15",
  "K>C": "formula: K − 273.15",
  "F>K": "formula: (°F − 32) × 5/9 + 273.15",
  "K>F": "formula: (K − 273.15) × 9/5 + 32",
};

function isTemperature(text: string): boolean {
  return /\d\s*(?:°\s?)?(?:deg(?:rees?)?\s*)?(?:[fck]|fahrenheit|celsius|centigrade|kelvin)\b/i.test(text);
}

function isKitchen(expression: string): boolean {
  return /\b(?:cups?|tbsps?|tsps?|tablespoons?|teaspoons?|pints?|quarts?|gallons?|fl\.? ?oz|fluid ounces?)\b/i.test(
    expression,
  );
}
