import * as z from "zod/mini";
import type { Json } from "#contract/json.ts";
import type { ParsedQuestion } from "./parse-question.ts";

const calculation = z.object({ expression: z.string(), result: z.string(), exact: z.boolean() });
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
export function formatResult({ tool }: ParsedQuestion, result: Json, locale: string): string | undefined {
  if (tool === "calculate") {
    const { data } = calculation.safeParse(result);
    return data && formatCalculation(data, locale);
  }
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeZone: "UTC" });
  const span = between.safeParse(result).data;
  if (span !== undefined) {
    const [start, end] = [span.from.date, span.to.date].toSorted().map((date) => Date.parse(date)) as [
      number,
      number,
    ];
    const unit = { style: "unit", unit: "day", unitDisplay: "long" } as const;
    const days = new Intl.NumberFormat(locale, unit).format((end - start) / dayMs);
    return `**${days}**: ${format.formatRange(start, end)}`;
  }
  const { data } = day.safeParse(result);
  if (data === undefined) return undefined;
  const date = format.format(Date.parse(data.date));
  const away = new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(data.days_from_today, "day");
  return data.time === undefined
    ? `**${date}** (${data.date}, ${away})`
    : `**${data.time}**, ${date} (${data.time_zone})`;
}

const dayMs = 86_400_000;
const decimals = 6;

function formatCalculation(
  { expression, result, exact }: z.infer<typeof calculation>,
  locale: string,
): string {
  const isPlain = /^-?\d+(?:\.\d+)?$/.test(result);
  const isShort = exact && (result.split(".")[1] ?? "").length <= decimals;
  const format = new Intl.NumberFormat(locale, {
    maximumFractionDigits: decimals,
    maximumSignificantDigits: decimals,
    roundingPriority: "morePrecision",
  });
  // As a string, so that long numbers keep their last digits.
  const shown = isPlain ? format.format(result as `${number}`) : result;
  return `\`${expression}\` ${isPlain && !isShort ? "≈" : "="} **${shown}**`;
}
