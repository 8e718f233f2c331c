import { readArabic } from "./arabic.ts";
import { readArithmetic, readEmbedded } from "./arithmetic.ts";
import type { Ask } from "./ask.ts";
import { readConversion } from "./conversion.ts";
import { readDates } from "./dates.ts";
import { bare } from "./framing.ts";
import { readPercent } from "./percent.ts";
import { isPleasantry } from "./small-talk.ts";

/** What a message asks that can be worked out, in order, and what else stands in it. */
export type Recognised = {
  asks: Ask[];
  rest: string[];
  /** How many more could have been worked out. */
  leftOut: number;
};

/** More than this in one message is a table of somebody's, not a question. */
const asksMax = 24;
const lineCharactersMax = 1_000;
const linesMax = 200;

const listMark = /^\s*(?:[-*•]\s+|\(?\d{1,2}[.)]\s+(?=\S))/;
/** "- 5 + 3" alone is no list. */
const negativeSum = /^\s*-\s+[\d(.][\d\s.,()+\-*/^×÷=?]*$/;

export function recognise(message: string): Recognised {
  const asks: Ask[] = [];
  const rest: string[] = [];
  let leftOut = 0;
  const lines = message.split(/\n+/, linesMax).filter((line) => line.trim() !== "");
  for (const line of lines) {
    const isSum = lines.length === 1 && negativeSum.test(line);
    const item = (isSum ? line : line.replace(listMark, "")).trim();
    if (item === "") continue;
    for (const piece of pieces(item)) {
      if (typeof piece === "string") rest.push(piece);
      else if (asks.length < asksMax) asks.push(piece);
      else leftOut++;
    }
  }
  return { asks, leftOut, rest: rest.filter((words) => !isPleasantry(words) && bare(words) !== "") };
}

/** A line is one question, or sentences, or questions joined by "and"; what is none stays as it is. */
function pieces(line: string): (Ask | string)[] {
  const whole = readOne(line);
  if (whole !== undefined) return [whole];
  const sentences = line
    .split(/(?<=[?!;])\s+|(?<=[.。])\s+(?=\p{L})|,\s+(?=(?:what|how|when|and)\b)/iu)
    .filter((part) => part.trim() !== "");
  if (sentences.length > 1)
    return joined(sentences.flatMap((sentence): (Ask | string)[] => [readOne(sentence) ?? sentence]));
  const parts = line.split(/\s+(?:and|und|et|y)\s+(?=(?:what|how|when|who|why|where|which|the|\d))|;\s*/i);
  const asks = parts.map(readOne);
  if (parts.length > 1 && asks.every((ask) => ask !== undefined)) return asks;
  // "reduce 80 by 25% and 10%": what goes on in figures is part of the sum.
  const goesOn = parts.some((part, at) => asks[at] === undefined && !/\p{L}/u.test(part));
  if (parts.length > 1 && !goesOn && asks.some((ask) => ask !== undefined))
    return parts.map((part, at) => asks[at] ?? part);
  return [readEmbedded(line) ?? line];
}

/** Where nothing of a line was recognised it is one question, not its sentences. */
function joined(found: (Ask | string)[]): (Ask | string)[] {
  return found.every((piece) => typeof piece === "string") ? [found.join(" ")] : found;
}

function readOne(question: string): Ask | undefined {
  if (question.length > lineCharactersMax) return undefined;
  // Dates first: 2024-02-28 is no subtraction. Percentages before sums: they have words of their own.
  return (
    readArabic(question) ??
    readDates(question) ??
    readPercent(question) ??
    readConversion(question) ??
    readArithmetic(question)
  );
}
