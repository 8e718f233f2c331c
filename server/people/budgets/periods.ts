import { isPerDay, type BudgetLimit } from "#contract/accounts/budgets.ts";

/** The current day and month in UTC, as `usage_sums` names them, and when each ends. */
export type Periods = Record<"day" | "month", { name: string; endsAtMs: number }>;

export function periodsAt(nowMs: number): Periods {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const text = now.toISOString();
  return {
    day: { name: text.slice(0, "2026-01-31".length), endsAtMs: Date.UTC(year, month, day + 1) },
    month: { name: text.slice(0, "2026-01".length), endsAtMs: Date.UTC(year, month + 1) },
  };
}

export function periodOf(limit: BudgetLimit): "day" | "month" {
  return isPerDay(limit) ? "day" : "month";
}
