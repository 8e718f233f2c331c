import { Temporal } from "temporal-polyfill";
import { ToolError } from "../tool.ts";

/** A length of time; working days, Monday to Friday, are counted apart. */
export type Duration = { calendar: Temporal.Duration; workingDays: number };

const piece = /(\d{1,7}) ?(working day|business day|year|month|week|day|hour|minute)s?(?:,? and |, | |$)/y;

/** The most that is added to a date, in days: some 10,000 years. */
const daysMax = 3_660_000;

/** "3 weeks", "1 year and 2 months", "10 working days", "-90 days", "P3W". Throws `ToolError` when it is none. */
export function readDuration(written: string): Duration {
  const text = written.toLowerCase().replace(/[−–]/g, "-").trim();
  const duration = /^[+-]?p/.test(text) ? isoDuration(text) : inWords(text);
  if (duration === undefined)
    throw new ToolError(
      `"${written.slice(0, 60)}" is not a length of time. Write it as 3 weeks, 90 days or 1 year and 2 months.`,
    );
  const { years, months, weeks, days, hours } = duration.calendar;
  const about = years * 366 + months * 31 + weeks * 7 + days + hours / 24;
  if (!(Math.abs(about) <= daysMax)) throw new ToolError("This is too long a time for the calendar.");
  return duration;
}

function isoDuration(text: string): Duration | undefined {
  try {
    return { calendar: Temporal.Duration.from(text.toUpperCase()), workingDays: 0 };
  } catch {
    return undefined;
  }
}

function inWords(text: string): Duration | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  const pieces = text.replace(/^[+-] ?/, "");
  const totals: Record<string, number> = {};
  piece.lastIndex = 0;
  let end = 0;
  for (let found = piece.exec(pieces); found !== null; found = piece.exec(pieces)) {
    const [, count, unit = ""] = found;
    const name = unit.includes(" ") ? "workingDays" : `${unit}s`;
    totals[name] = (totals[name] ?? 0) + sign * Number(count);
    end = piece.lastIndex;
  }
  if (end === 0 || end < pieces.length) return undefined;
  const { workingDays = 0, ...calendar } = totals;
  return { calendar: Temporal.Duration.from({ days: 0, ...calendar }), workingDays };
}
