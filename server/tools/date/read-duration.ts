import { Temporal } from "temporal-polyfill";
import { ToolError } from "../tool.ts";

/** A length of time; working days, Monday to Friday, are counted apart. */
export type Duration = { calendar: Temporal.Duration; workingDays: number };

const numberWords: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fourteen: 14,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  sixty: 60,
  ninety: 90,
  hundred: 100,
};

const piece =
  /(?<![a-z\d])(?:(\d+)[\s-]*|(an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|twenty|thirty|sixty|ninety|hundred)[\s-]+)(working days?|work days?|workdays?|business days?|weekdays?|years?|yrs?|y|quarters?|months?|mos?|fortnights?|weeks?|wks?|w|days?|d|hours?|hrs?|h|minutes?|mins?)\b/g;

/** The most that is added to a date, in days: some 10,000 years. */
const daysMax = 3_660_000;

/** "3 weeks", "1 year and 2 months", "10 working days", "-90 days", "P3W". Throws `ToolError` when it is none. */
export function readDuration(written: string): Duration {
  const text = written.normalize("NFKC").toLowerCase().replace(/[−–]/g, "-").trim();
  const iso = isoDuration(text);
  if (iso !== undefined) return { calendar: iso, workingDays: 0 };
  const sign = text.startsWith("-") ? -1 : 1;
  const totals = { years: 0, months: 0, weeks: 0, days: 0, hours: 0, minutes: 0, workingDays: 0 };
  const rest = text.replace(
    piece,
    (_, figures: string | undefined, word: string | undefined, unit: string) => {
      const count = sign * (figures === undefined ? (numberWords[word ?? ""] ?? 0) : Number(figures));
      const [name, factor] = unitOf(unit);
      totals[name] += count * factor;
      return "";
    },
  );
  const { workingDays, ...calendar } = totals;
  const read = !/[^\s,+-]/.test(rest.replace(/\band\b/g, "")) && rest !== text;
  if (!read)
    throw new ToolError(
      `"${written.slice(0, 60)}" is not a length of time. Write it as 3 weeks, 90 days or 1 year and 2 months.`,
    );
  return { calendar: bounded(calendar), workingDays };
}

type Total = "years" | "months" | "weeks" | "days" | "hours" | "minutes" | "workingDays";

function unitOf(unit: string): [Total, number] {
  if (/^(?:work|business|weekd)/.test(unit)) return ["workingDays", 1];
  if (unit.startsWith("y")) return ["years", 1];
  if (unit.startsWith("q")) return ["months", 3];
  if (unit.startsWith("mo")) return ["months", 1];
  if (unit.startsWith("f")) return ["weeks", 2];
  if (unit.startsWith("w")) return ["weeks", 1];
  if (unit.startsWith("d")) return ["days", 1];
  return unit.startsWith("h") ? ["hours", 1] : ["minutes", 1];
}

function isoDuration(text: string): Temporal.Duration | undefined {
  if (!/^[+-]?p/.test(text)) return undefined;
  try {
    const { years, months, weeks, days, hours, minutes } = Temporal.Duration.from(text.toUpperCase());
    return bounded({ years, months, weeks, days, hours, minutes });
  } catch {
    return undefined;
  }
}

function bounded(calendar: {
  years: number;
  months: number;
  weeks: number;
  days: number;
  hours: number;
  minutes: number;
}) {
  const { years, months, weeks, days, hours } = calendar;
  const about =
    Math.abs(years) * 366 +
    Math.abs(months) * 31 +
    Math.abs(weeks) * 7 +
    Math.abs(days) +
    Math.abs(hours) / 24;
  if (!(about <= daysMax)) throw new ToolError("This is too long a time for the calendar.");
  return Temporal.Duration.from(calendar);
}
