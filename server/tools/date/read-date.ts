import { casual } from "chrono-node";
import { Temporal } from "temporal-polyfill";
import { ToolError } from "../tool.ts";
import { namedDay } from "./named-days.ts";

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/**
 * The day that `written` means, seen from `today`. A day without a year, or a bare weekday, is the next one or the last
 * one, by `toward`, today included. Throws `ToolError` when it is no day or could be read in part only.
 */
export function readDate(
  written: string,
  today: Temporal.PlainDate,
  toward: "future" | "past",
): Temporal.PlainDate {
  const text = written
    .normalize("NFKC")
    .replace(/[’‘]/g, "'")
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/[?.!,\s]+$/, "")
    .trim()
    .replace(/^(?:the|on|date|den|der) (?!(?:start|beginning|end) of)/, "");
  const date =
    relativeDay(text, today) ??
    inFigures(text) ??
    weekday(text, today, toward) ??
    namedDay(text, today, toward) ??
    freely(text, today, toward);
  if (date === undefined) {
    throw new ToolError(
      `"${written.slice(0, 60)}" is not a date that can be read. Write it as 2027-06-01, 1 June 2027 or next Friday.`,
    );
  }
  return date;
}

function relativeDay(text: string, today: Temporal.PlainDate): Temporal.PlainDate | undefined {
  if (/^(?:today|now|heute|right now|this day)$/.test(text)) return today;
  if (/^(?:tomorrow|morgen)$/.test(text)) return today.add({ days: 1 });
  if (/^(?:yesterday|gestern)$/.test(text)) return today.subtract({ days: 1 });
  if (text === "day after tomorrow" || text === "übermorgen") return today.add({ days: 2 });
  if (text === "day before yesterday" || text === "vorgestern") return today.subtract({ days: 2 });
  return undefined;
}

/** Dates in figures: ISO, and with points the day first, as everybody who writes points means it. */
function inFigures(text: string): Temporal.PlainDate | undefined {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[t ].*)?$/.exec(text);
  if (iso !== null) return plainDate(text, Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const points = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/.exec(text);
  if (points !== null) return plainDate(text, Number(points[3]), Number(points[2]), Number(points[1]));
  const strokes = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})$/.exec(text);
  if (strokes === null) return undefined;
  const [first, second, year] = [Number(strokes[1]), Number(strokes[2]), Number(strokes[3])];
  // With strokes the month comes first, unless that cannot be.
  return first > 12 ? plainDate(text, year, second, first) : plainDate(text, year, first, second);
}

function plainDate(text: string, year: number, month: number, day: number): Temporal.PlainDate {
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: "reject" });
  } catch (error) {
    throw new ToolError(`There is no day "${text.slice(0, 40)}" in the calendar.`, { cause: error });
  }
}

function weekday(
  text: string,
  today: Temporal.PlainDate,
  toward: "future" | "past",
): Temporal.PlainDate | undefined {
  const match = /^(?:(next|this|last|coming|past|previous) )?([a-z]+?)s?( next week| last week)?$/.exec(text);
  const name = match?.[2] ?? "";
  const index = weekdays.findIndex(
    (day) => day === name || (name.length >= 3 && day.startsWith(name) && name.length <= 5),
  );
  if (match === null || index === -1) return undefined;
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  if (match[3] === " next week") return monday.add({ days: 7 + index });
  if (match[3] === " last week") return monday.subtract({ days: 7 - index });
  const ahead = (index + 1 - today.dayOfWeek + 7) % 7;
  switch (match[1]) {
    case "next":
      // The next one to come, never today.
      return today.add({ days: ahead === 0 ? 7 : ahead });
    case "last":
    case "past":
    case "previous":
      return today.subtract({ days: ahead === 0 ? 7 : 7 - ahead });
    case undefined:
      if (toward === "past") return today.subtract({ days: ahead === 0 ? 0 : 7 - ahead });
      return today.add({ days: ahead });
    default:
      return today.add({ days: ahead });
  }
}

/** Everything else as the library reads it, provided that it reads all of it. */
function freely(
  text: string,
  today: Temporal.PlainDate,
  toward: "future" | "past",
): Temporal.PlainDate | undefined {
  // Noon of UTC, and figures instead of instants: the zone that this runs in must not matter.
  const instant = new Date(`${today.toString()}T12:00:00Z`);
  const [found, ...more] = casual.parse(text, { instant, timezone: 0 }, { forwardDate: toward === "future" });
  if (found === undefined || more.length > 0 || found.end != null || found.text.length < text.length - 1)
    return undefined;
  const { start } = found;
  const [year, month, day] = [start.get("year"), start.get("month"), start.get("day")];
  if (year === null || month === null || day === null) return undefined;
  const read = plainDate(text, year, month, day);
  const yearSaid = start.isCertain("year") || !start.isCertain("month");
  if (yearSaid) return read;
  const here = plainDate(text, today.year, month, day);
  const order = Temporal.PlainDate.compare(here, today);
  if (toward === "future") return order < 0 ? here.add({ years: 1 }) : here;
  return order > 0 ? here.subtract({ years: 1 }) : here;
}
