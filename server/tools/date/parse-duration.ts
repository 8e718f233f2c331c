import { Temporal } from "temporal-polyfill";
import { ToolError } from "../tool.ts";

/** A duration. Working days, Monday to Friday, are counted separately. */
export type Duration = { calendar: Temporal.Duration; workingDays: number };

const unitPattern =
  /(\d{1,7}) ?(working day|business day|year|month|week|day|hour|minute)s?(?:,? and |, | |$)/y;

/** About 10,000 years. */
const daysMax = 3_660_000;

/** "3 weeks", "1 year and 2 months", "10 working days", "-90 days", "P3W". Throws `ToolError` if it is not a duration. */
export function parseDuration(written: string): Duration {
  const text = written.toLowerCase().replace(/[−–]/g, "-").trim();
  const duration = /^[+-]?p/.test(text) ? parseIsoDuration(text) : parseWords(text);
  if (duration === undefined)
    throw new ToolError(
      `"${written.slice(0, 60)}" is not a duration. Write it as 3 weeks, 90 days or 1 year and 2 months.`,
    );
  const { years, months, weeks, days, hours } = duration.calendar;
  const approximateDays = years * 366 + months * 31 + weeks * 7 + days + hours / 24;
  if (!(Math.abs(approximateDays) <= daysMax))
    throw new ToolError("This duration is too long for the calendar.");
  return duration;
}

function parseIsoDuration(text: string): Duration | undefined {
  try {
    return { calendar: Temporal.Duration.from(text.toUpperCase()), workingDays: 0 };
  } catch {
    return undefined;
  }
}

function parseWords(text: string): Duration | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  const units = text.replace(/^[+-] ?/, "");
  const totals: Record<string, number> = {};
  unitPattern.lastIndex = 0;
  let end = 0;
  for (let found = unitPattern.exec(units); found !== null; found = unitPattern.exec(units)) {
    const [, count, unit = ""] = found;
    const name = unit.includes(" ") ? "workingDays" : `${unit}s`;
    totals[name] = (totals[name] ?? 0) + sign * Number(count);
    end = unitPattern.lastIndex;
  }
  if (end === 0 || end < units.length) return undefined;
  const { workingDays = 0, ...calendar } = totals;
  return { calendar: Temporal.Duration.from({ days: 0, ...calendar }), workingDays };
}
