import { Temporal } from "temporal-polyfill";
import * as z from "zod/mini";
import type { Json } from "#contract/json.ts";
import type { DateUnit, ParsedQuestion } from "./parse-question.ts";

const calculation = z.object({
  expression: z.string(),
  result: z.string(),
  unit: z.optional(z.string()),
  exact: z.boolean(),
});
const between = z.object({
  from: z.object({ date: z.iso.date() }),
  to: z.object({ date: z.iso.date() }),
});
const day = z.object({
  date: z.iso.date(),
  days_from_today: z.number(),
  time: z.optional(z.string()),
  time_zone: z.optional(z.string()),
});

/** Formats a tool's result with the numbers and dates of `locale`; `undefined` if the result has another shape. */
export function formatResult(question: ParsedQuestion, result: Json, locale: string): string | undefined {
  if (question.tool === "calculate") {
    const { data } = calculation.safeParse(result);
    return data && formatCalculation(data, locale);
  }
  const span = between.safeParse(result).data;
  if (span !== undefined) return formatSpan(span.from.date, span.to.date, question.unit, locale);
  const { data } = day.safeParse(result);
  if (data === undefined) return undefined;
  const date = dateFormat(locale).format(instant(data.date));
  const away = new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(data.days_from_today, "day");
  return data.time === undefined
    ? `**${date}** (${data.date}, ${away})`
    : `**${data.time}**, ${date} (${data.time_zone})`;
}

function formatCalculation(
  { expression, result, unit = "", exact }: z.infer<typeof calculation>,
  locale: string,
): string {
  const value = result.slice(0, result.length - unit.length).trim();
  const isPlain = /^-?\d+(?:\.\d+)?$/.test(value);
  const isShort = exact && (value.split(".")[1] ?? "").length <= decimals;
  const shown = isPlain ? quantity(value, unit, locale) : result;
  return `\`${expression}\` ${isPlain && !isShort ? "≈" : "="} **${shown}**`;
}

const decimals = 6;

/** With the name of the unit in the language of `locale`, if the platform has it. */
function quantity(value: string, unit: string, locale: string): string {
  const name = Intl.supportedValuesOf("unit").find((known) => known === unit || `${known}s` === unit);
  const format = new Intl.NumberFormat(locale, {
    maximumFractionDigits: decimals,
    maximumSignificantDigits: decimals,
    roundingPriority: "morePrecision",
    ...(name === undefined ? {} : { style: "unit", unit: name, unitDisplay: "long" }),
  });
  // As a string, so that long numbers keep their last digits.
  const number = format.format(value as `${number}`);
  return name === undefined && unit !== "" ? `${number} ${unit}` : number;
}

function formatSpan(from: string, to: string, unit: DateUnit, locale: string): string {
  const [start, end] = [from, to].toSorted().map((date) => Temporal.PlainDate.from(date)) as [
    Temporal.PlainDate,
    Temporal.PlainDate,
  ];
  const { years, months, weeks, days } = start.until(end, { largestUnit: unit });
  const span = new Intl.DurationFormat(locale, { style: "long" }).format({ years, months, weeks, days });
  const all = quantity(String(start.until(end).days), "day", locale);
  const range = dateFormat(locale).formatRange(instant(start.toString()), instant(end.toString()));
  return `**${unit === "day" ? all : `${span} (${all})`}**: ${range}`;
}

function dateFormat(locale: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { dateStyle: "full", timeZone: "UTC" });
}

function instant(isoDate: string): Date {
  return new Date(`${isoDate}T00:00:00Z`);
}
