import { Temporal } from "temporal-polyfill";
import type { JsonObject } from "#contract/json.ts";
import { ToolError } from "../tool.ts";
import { parseDate } from "./parse-date.ts";
import { parseDuration } from "./parse-duration.ts";

export type DateQuestion = {
  date?: string;
  to?: string;
  add?: string;
  /** An IANA name. */
  timeZone: string;
  nowMs: number;
};

const charactersMax = 200;

/** Answers one question about dates. Throws `ToolError` with a message. */
export function answerDate({ date, to, add, timeZone, nowMs }: DateQuestion): JsonObject {
  for (const text of [date, to, add]) {
    if ((text ?? "").length > charactersMax)
      throw new ToolError(`A date has at most ${charactersMax} characters.`);
  }
  const now = zonedNow(nowMs, timeZone);
  const today = now.toPlainDate();
  if (to !== undefined) {
    const end = parseDate(to, today);
    return timeBetween(date === undefined ? today : parseDate(date, today, end), end, today);
  }
  if (add !== undefined) return addDuration(date, add, now);
  if (date === undefined || /^\s*now\s*$/i.test(date))
    return { ...describe(today, today), time: clockTime(now), time_zone: now.timeZoneId };
  return describe(parseDate(date, today), today);
}

function zonedNow(nowMs: number, timeZone: string): Temporal.ZonedDateTime {
  try {
    return Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone);
  } catch (error) {
    throw new ToolError(`"${timeZone.slice(0, 40)}" is not a time zone. Give a name such as Europe/Berlin.`, {
      cause: error,
    });
  }
}

function describe(date: Temporal.PlainDate, today: Temporal.PlainDate): JsonObject {
  return {
    ...withWeekday(date),
    today: today.toString(),
    days_from_today: today.until(date, { largestUnit: "days" }).days,
    iso_week: `${date.yearOfWeek}-W${String(date.weekOfYear).padStart(2, "0")}`,
    day_of_year: date.dayOfYear,
    leap_year: date.inLeapYear,
  };
}

function addDuration(date: string | undefined, add: string, now: Temporal.ZonedDateTime): JsonObject {
  const today = now.toPlainDate();
  const start = parseDate(date ?? "today", today);
  const { calendar, workingDays } = parseDuration(add);
  try {
    if (calendar.hours !== 0 || calendar.minutes !== 0) {
      const moment = (start.equals(today) ? now : start.toZonedDateTime(now.timeZoneId)).add(calendar);
      return {
        from: withWeekday(start),
        added: add,
        ...describe(moment.toPlainDate(), today),
        time: clockTime(moment),
        time_zone: now.timeZoneId,
      };
    }
    const end = addWorkingDays(start.add(calendar), workingDays);
    return { from: withWeekday(start), added: add, ...describe(end, today) };
  } catch (error) {
    throw new ToolError("This date is outside the calendar.", { cause: error });
  }
}

function timeBetween(
  start: Temporal.PlainDate,
  end: Temporal.PlainDate,
  today: Temporal.PlainDate,
): JsonObject {
  const { days } = start.until(end, { largestUnit: "days" });
  const span = start.until(end, { largestUnit: "years" });
  return {
    from: withWeekday(start),
    to: withWeekday(end),
    today: today.toString(),
    days,
    weeks: inWeeks(Math.abs(days)),
    years: span.years,
    calendar: inWords(span),
    weekdays: workingDaysBetween(start, end),
  };
}

function withWeekday(date: Temporal.PlainDate): { date: string; weekday: string } {
  return { date: date.toString(), weekday: weekdayNames[date.dayOfWeek - 1] ?? "" };
}

const weekdayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

function clockTime(moment: Temporal.ZonedDateTime): string {
  return `${String(moment.hour).padStart(2, "0")}:${String(moment.minute).padStart(2, "0")}`;
}

function inWeeks(days: number): string {
  return (
    [pluralize(Math.floor(days / 7), "week"), pluralize(days % 7, "day")]
      .filter((words) => !words.startsWith("0"))
      .join(" and ") || "0 days"
  );
}

function inWords({ years, months, days }: Temporal.Duration): string {
  const words = [
    pluralize(Math.abs(years), "year"),
    pluralize(Math.abs(months), "month"),
    pluralize(Math.abs(days), "day"),
  ].filter((words) => !words.startsWith("0 "));
  return words.length === 0
    ? "0 days"
    : words.length === 3
      ? `${words[0]}, ${words[1]} and ${words[2]}`
      : words.join(" and ");
}

function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Mondays to Fridays from `start` until the day before `end`, including holidays. */
function workingDaysBetween(start: Temporal.PlainDate, end: Temporal.PlainDate): number {
  if (Temporal.PlainDate.compare(start, end) > 0) return -workingDaysBetween(end, start);
  const { days } = start.until(end, { largestUnit: "days" });
  let count = Math.floor(days / 7) * 5;
  for (let i = 0; i < days % 7; i++) if ((start.dayOfWeek - 1 + i) % 7 < 5) count++;
  return count;
}

function addWorkingDays(start: Temporal.PlainDate, count: number): Temporal.PlainDate {
  const direction = Math.sign(count);
  const weeks = Math.trunc(count / 5);
  let date = start;
  // On a weekend, counting starts at the last working day before it, or after it if the count is negative.
  while (count !== 0 && date.dayOfWeek > 5) date = date.subtract({ days: direction });
  date = date.add({ days: weeks * 7 });
  for (let left = Math.abs(count % 5); left > 0;) {
    date = date.add({ days: direction });
    if (date.dayOfWeek <= 5) left--;
  }
  return date;
}
