import type { JsonObject } from "#contract/json.ts";
import type { Language } from "./language.ts";
import { fold, rewrite } from "./languages.ts";

/** A tool call that answers the question. `unit` is the unit for the time between two dates. */
export type ParsedQuestion =
  | { tool: "calculate"; args: { expression: string } }
  | { tool: "date"; args: JsonObject; unit: DateUnit };

export type DateUnit = "day" | "week" | "month" | "year";

const lengthMax = 200;

/** Parses a calculation, a conversion or a question about dates; `undefined` for anything else. */
export function parseQuestion(text: string, language: Language): ParsedQuestion | undefined {
  if (text.length > lengthMax) return undefined;
  const folded = fold(text);
  return (
    parseDates(rewrite(folded, language.dates), language) ?? parseCalculation(rewrite(folded, language.sums))
  );
}

/** "date 4 July", "many week until 1 June", "between 3 March and 19 May", "clock". */
function parseDates(words: string, language: Language): ParsedQuestion | undefined {
  if (/^(?:many )?clock$/.test(words)) return { tool: "date", args: {}, unit: "day" };
  const [, unit = "day", span] =
    /^(?:many (day|week|month|year) )?((?:between|until|since) .+)$/.exec(words) ?? [];
  const dates =
    span === undefined
      ? { date: words === "date" ? "today" : words.replace(/^date | date$/g, "") }
      : (/^between (?<date>.+) (?:and|to|until) (?<to>.+)$|^until (?<to>.+)$|^since (?<date>.+)$/.exec(span)
          ?.groups ?? {});
  const args = Object.entries(dates).filter(([, date]) => date !== undefined);
  if (args.length === 0 || !args.every(([, date]) => isDate(date, language))) return undefined;
  const isSince = span?.startsWith("since") === true;
  return {
    tool: "date",
    args: { ...Object.fromEntries(args), ...(isSince ? { to: "today" } : {}) },
    unit: unit as DateUnit,
  };
}

/** Whether the words are a date. A number alone is not. */
function isDate(words: string, { calendar }: Language): boolean {
  if (words === "today" || /^\d{4}-\d{1,2}-\d{1,2}$/.test(words)) return true;
  const rest = words.replace(new RegExp(`(?<!\\p{L})(?:${fold(calendar)})(?!\\p{L})`, "giu"), "");
  return /\p{L}/u.test(words) && /^[\d\s.,]*$/.test(rest);
}

const functions =
  /\b(?:sqrt|cbrt|abs|sin|cos|tan|log|log2|log10|ln|exp|round|mean|max|min)(?=\s*\()|\b(?:mod|pi)\b/g;
const unit = String.raw`[\p{L}°]+(?:[/^][\p{L}\d]+)*`;
const conversion = new RegExp(` (?:in|to) ${unit}(?: ${unit})?$`, "iu");

/** "2 * (3 + 4)", "5 miles in km", "many gram in 3 pound", "3 meter many centimeter". */
function parseCalculation(words: string): ParsedQuestion | undefined {
  const expression = words
    .replace(new RegExp(`^many (${unit})(?: in| to)? (\\d.*)$`, "iu"), "$2 to $1")
    .replace(new RegExp(`^(\\d.*) many (${unit})$`, "iu"), "$1 to $2")
    .replace(/^many | (?:many|to)$/g, "");
  const bare = expression
    .replace(conversion, "")
    .replace(functions, "0")
    .replace(new RegExp(`(?<=\\d\\s*)${unit}(?: ${unit})?`, "giu"), "");
  const isCalculation =
    conversion.test(expression) || expression.search(functions) !== -1 || /\S\s*[-+*/^%!×÷−]/.test(bare);
  return isCalculation && /\d/.test(expression) && /^[\d\s.,()[\]\-+*/^%!×÷−]+$/.test(bare)
    ? { tool: "calculate", args: { expression } }
    : undefined;
}
