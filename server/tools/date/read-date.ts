import * as chrono from "chrono-node";
import { Temporal } from "temporal-polyfill";
import { ToolError } from "../tool.ts";

/** The languages that the app is in; the library reads more. The first that reads all of a text counts. */
const readers = [chrono.casual, chrono.ar.casual];

/**
 * The day that `written` means, seen from `today`. A day without a year is the next one, or the last one on or before
 * `until`. Throws `ToolError` when it is no day or could be read in part only.
 */
export function readDate(
  written: string,
  today: Temporal.PlainDate,
  until?: Temporal.PlainDate,
): Temporal.PlainDate {
  const text = written
    .replace(/\s+/g, " ")
    .replace(/[?.!,\s]+$/, "")
    .trim()
    .replace(/^(?:the|on) (?!day)/i, "");
  const date = inFigures(text) ?? inWords(text, today, until);
  if (date === undefined) {
    throw new ToolError(
      `"${written.slice(0, 60)}" is not a date that can be read. Write it as 2027-06-01, 1 June 2027 or next Friday.`,
    );
  }
  return date;
}

/** ISO dates, and those with points, where the day comes first: the library takes points for strokes. */
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

/** As the library reads it, provided that it reads all of it. */
function inWords(
  text: string,
  today: Temporal.PlainDate,
  until: Temporal.PlainDate | undefined,
): Temporal.PlainDate | undefined {
  // Noon of UTC, and figures instead of instants: the zone that this runs in must not matter.
  const reference = { instant: new Date(`${today.toString()}T12:00:00Z`), timezone: 0 };
  // The library would move "last Monday" forward too.
  const forwardDate = !text.includes(" ");
  for (const reader of readers) {
    const [found, ...more] = reader.parse(text, reference, { forwardDate });
    if (found === undefined || more.length > 0 || found.end != null || found.text.length < text.length)
      continue;
    const { start } = found;
    const read = plainDate(text, start.get("year")!, start.get("month")!, start.get("day")!);
    // Certain of the month alone: a day of any year.
    if (start.isCertain("year") || !start.isCertain("month")) return read;
    const here = plainDate(text, (until ?? today).year, read.month, read.day);
    const order = Temporal.PlainDate.compare(here, until ?? today);
    if (until === undefined) return order < 0 ? here.add({ years: 1 }) : here;
    return order > 0 ? here.subtract({ years: 1 }) : here;
  }
  return undefined;
}
