import type { FeedbackDay, UsageReport, UsageRow } from "#contract/endpoints/usage.ts";
import { printDay, printDollars, printNumber, t } from "#web/i18n/translate.ts";
import { csvOf } from "#web/lib/csv.ts";

export type UsageSum = Pick<
  UsageRow,
  | "requests"
  | "input_tokens"
  | "cached_tokens"
  | "output_tokens"
  | "reasoning_tokens"
  | "cost_usd"
  | "unpriced_requests"
  | "estimated_requests"
  | "failed_requests"
  | "answered_requests"
  | "wait_ms"
>;

const none: UsageSum = {
  requests: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: 0,
  unpriced_requests: 0,
  estimated_requests: 0,
  failed_requests: 0,
  answered_requests: 0,
  wait_ms: 0,
};
const counts = Object.keys(none) as (keyof UsageSum)[];

export function sumOf(rows: readonly UsageSum[]): UsageSum {
  const sum = { ...none };
  for (const row of rows) for (const name of counts) sum[name] += row[name];
  return sum;
}

/** The sum of each group, the one with most tokens first. */
export function sumBy<Key>(
  rows: readonly UsageRow[],
  keyOf: (row: UsageRow) => Key,
): { key: Key; sum: UsageSum }[] {
  const tokens = (sum: UsageSum) => sum.input_tokens + sum.output_tokens;
  return [...Map.groupBy(rows, keyOf)]
    .map(([key, group]) => ({ key, sum: sumOf(group) }))
    .toSorted((a, b) => tokens(b.sum) - tokens(a.sum));
}

/** What a plot shows of a day. */
export type DaySum = UsageSum & Pick<FeedbackDay, "positive" | "negative">;

/** Every day of the report, also those without requests. */
export function sumByDay({ from, to, rows, feedback }: UsageReport): { day: string; sum: DaySum }[] {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  const ratings = new Map(feedback.map((each) => [each.day, each]));
  const days: { day: string; sum: DaySum }[] = [];
  for (const date = new Date(from); ; date.setUTCDate(date.getUTCDate() + 1)) {
    const day = date.toISOString().slice(0, 10);
    if (day > to) return days;
    const { positive = 0, negative = 0 } = ratings.get(day) ?? {};
    days.push({ day, sum: { ...sumOf(byDay.get(day) ?? []), positive, negative } });
  }
}

/** The mean time until the first word in seconds; `undefined` if no request had one. */
export function waitOf({ wait_ms: ms, answered_requests: count }: UsageSum): number | undefined {
  return count === 0 ? undefined : ms / count / 1000;
}

/** A dash if the prices of all that cost something are unknown. */
export function costText(sum: UsageSum): string {
  const { cost_usd: cost, unpriced_requests: unpriced } = sum;
  return cost === 0 && unpriced > 0 ? "–" : aboutText(sum, cost, printDollars);
}

/** A count of tokens or a cost in this sum, as an estimate if a part of the sum is one. */
export function aboutText(
  { estimated_requests: estimated }: Pick<UsageSum, "estimated_requests">,
  amount: number,
  print: (amount: number) => string = printNumber,
): string {
  return estimated > 0 && amount > 0 ? t("usage.about", { number: print(amount) }) : print(amount);
}

/** One line per day and model. */
export function usageCsv({ rows }: UsageReport): string {
  const groups = Map.groupBy(rows, ({ day, model }) => `${day} ${model}`);
  return csvOf([
    ["day", "model", ...counts],
    ...[...groups.values()].map((group) => {
      const sum = sumOf(group);
      return [group[0]!.day, group[0]!.model ?? "", ...counts.map((name) => String(sum[name]))];
    }),
  ]);
}

/** A day such as 2026-01-31 in words. */
export function printDate(day: string): string {
  return printDay(new Date(`${day}T12:00:00`));
}
