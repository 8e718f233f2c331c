import type { JsonObject } from "#contract/json.ts";
import type { Language } from "./language.ts";
import { fold, rewrite } from "./choose-language.ts";

/** A tool call that answers the question. */
export type ParsedQuestion =
  | { tool: "calculate"; args: { expression: string } }
  | { tool: "date"; args: JsonObject };

const lengthMax = 200;

/** Parses a calculation or a question about dates; `undefined` for anything else. */
export function parseQuestion(text: string, language: Language): ParsedQuestion | undefined {
  if (text.length > lengthMax) return undefined;
  const folded = fold(text);
  return (
    parseDates(rewrite(folded, language.dates), language) ?? parseCalculation(rewrite(folded, language.sums))
  );
}

/** "date 4 July", "until 1 June", "between 3 March and 19 May", "clock". */
function parseDates(words: string, language: Language): ParsedQuestion | undefined {
  if (words === "clock") return { tool: "date", args: {} };
  const span = /^between (?<date>.+) (?:and|to|until) (?<to>.+)$|^until (?<to>.+)$|^since (?<date>.+)$/.exec(
    words,
  );
  const dates = span?.groups ?? { date: words === "date" ? "today" : words.replace(/^date | date$/g, "") };
  const args = Object.entries(dates).filter(([, date]) => date !== undefined);
  if (!args.every(([, date]) => isDate(date, language))) return undefined;
  const end = words.startsWith("since ") ? { to: "today" } : {};
  return { tool: "date", args: { ...Object.fromEntries(args), ...end } };
}

/** Whether the words are a date. A number alone is not. */
function isDate(words: string, { calendar }: Language): boolean {
  if (words === "today" || /^\d{4}-\d{1,2}-\d{1,2}$/.test(words)) return true;
  const rest = words.replace(new RegExp(`(?<!\\p{L})(?:${fold(calendar)})(?!\\p{L})`, "giu"), "");
  return /\p{L}/u.test(words) && /^[\d\s.,]*$/.test(rest);
}

/** "2 * (3 + 4)", "sqrt(16)". */
function parseCalculation(expression: string): ParsedQuestion | undefined {
  const bare = expression.replaceAll("sqrt(", "-(");
  const isCalculation = /\d/.test(bare) && /[-+*/^%!×÷−]/.test(bare.slice(bare.startsWith("-(") ? 0 : 1));
  return isCalculation && /^[\d\s.,()\-+*/^%!×÷−]+$/.test(bare)
    ? { tool: "calculate", args: { expression } }
    : undefined;
}
