import * as chrono from "chrono-node";
import type { LanguageTag } from "#contract/i18n/languages.ts";
import { Temporal } from "temporal-polyfill";
import { ToolError } from "../tool.ts";

/** The first that parses the whole text is used. */
const parsers: Record<LanguageTag, Pick<chrono.Chrono, "parse">> = {
  en: chrono.casual,
  ar: chrono.ar.casual,
};

/**
 * Parses a day relative to `today`. A day without a year is the next one, or the last one on or before `until`. Throws
 * `ToolError` if the text is not a day, or only a part of it is.
 */
export function parseDate(
  written: string,
  today: Temporal.PlainDate,
  until?: Temporal.PlainDate,
): Temporal.PlainDate {
  const text = written
    .replace(/\s+/g, " ")
    .replace(/[?.!,\s]+$/, "")
    .trim()
    .replace(/^(?:the|on) (?!day)/i, "");
  const date = inFigures(text) ?? parseWords(text, today, until);
  if (date === undefined) {
    throw new ToolError(
      `"${written.slice(0, 60)}" is not a date that can be read. Write it as 2027-06-01, 1 June 2027 or next Friday.`,
    );
  }
  return date;
}

/** ISO dates, and dates with points, where the day comes first. The library would read points as slashes. */
function inFigures(text: string): Temporal.PlainDate | undefined {
  const [, isoYear, isoMonth, isoDay] = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:T.*)?$/i.exec(text) ?? [];
  const [, day = isoDay, month = isoMonth, year = isoYear] =
    /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/.exec(text) ?? [];
  return year === undefined ? undefined : plainDate(text, Number(year), Number(month), Number(day));
}

function plainDate(text: string, year: number, month: number, day: number): Temporal.PlainDate {
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: "reject" });
  } catch (error) {
    throw new ToolError(`There is no day "${text.slice(0, 40)}" in the calendar.`, { cause: error });
  }
}

/** Parses with chrono; `undefined` if a part of the text is left over. */
function parseWords(
  text: string,
  today: Temporal.PlainDate,
  until: Temporal.PlainDate | undefined,
): Temporal.PlainDate | undefined {
  // Noon in UTC and plain dates, so that the time zone of the process does not matter.
  const reference = { instant: new Date(`${today.toString()}T12:00:00Z`), timezone: 0 };
  // Otherwise chrono would move "last Monday" forward too.
  const forwardDate = !text.includes(" ");
  for (const parser of Object.values(parsers)) {
    const [found, ...more] = parser.parse(text, reference, { forwardDate });
    if (found === undefined || more.length > 0 || found.end != null || found.text.length < text.length)
      continue;
    const { start } = found;
    const read = plainDate(text, start.get("year")!, start.get("month")!, start.get("day")!);
    // Only the month is certain: the year is open.
    if (start.isCertain("year") || !start.isCertain("month")) return read;
    const inYear = plainDate(text, (until ?? today).year, read.month, read.day);
    const order = Temporal.PlainDate.compare(inYear, until ?? today);
    if (until === undefined) return order < 0 ? inYear.add({ years: 1 }) : inYear;
    return order > 0 ? inYear.subtract({ years: 1 }) : inYear;
  }
  return undefined;
}
