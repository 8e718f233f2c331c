import type { QueryOf } from "#contract/api.ts";
import type { UsageReport } from "#contract/endpoints/usage.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { isOwnUser, type Visitor } from "#server/lib/route.ts";
import { daysIn, timeZoneOf } from "#server/lib/time-zone.ts";
import * as rows from "./rows.ts";

const defaultDays = 30;

export type UsageReports = ReturnType<typeof createUsageReports>;

/** What requests to models used, by day. Both functions throw `bad-day-range`. */
export function createUsageReports(options: { db: Database; clock: Clock; assistants: Assistants }) {
  const { db, clock, assistants } = options;

  async function report(
    appId: string,
    owner: rows.UsageOwner,
    query: QueryOf<"usage.own">,
  ): Promise<UsageReport> {
    const timeZone = timeZoneOf(query.time_zone);
    const days = daysIn(timeZone);
    const to = query.to === undefined ? days.dayAt(clock.now()) : dayNumber(query.to);
    const from = query.from === undefined ? to - defaultDays + 1 : dayNumber(query.from);
    if (to < from || to - from >= limits.usageDaysMax) throw new AppError("bad-day-range");
    const starts = Array.from({ length: to - from + 2 }, (_, at) => days.startOf(from + at));
    const period = { fromMs: starts[0]!, toMs: starts.at(-1)! };
    const [found, feedback] = await Promise.all([
      rows.sumUsage(db, owner, { ...period, groupBy: query.group_by }),
      rows.sumFeedback(db, owner, { ...period, appId }),
    ]);
    const sums = sumDays(found, starts);
    const ids = [...new Set(sums.flatMap(({ assistant_id: id }) => id ?? []))];
    const names = ids.length === 0 ? new Map<string, string>() : await assistants.findNames(appId, ids);
    return {
      from: printDay(from),
      to: printDay(to),
      time_zone: timeZone,
      rows: sums.map(({ day, cost_micros: cost, ...sum }) => ({
        day: printDay(from + day),
        ...sum,
        assistant_name: names.get(sum.assistant_id ?? "") ?? null,
        cost_usd: cost / 1e6,
      })),
      feedback: sumFeedbackDays(feedback, starts).map(({ day, ...sum }) => ({
        day: printDay(from + day),
        ...sum,
      })),
    };
  }

  return {
    async own(visitor: Visitor, query: QueryOf<"usage.own">): Promise<UsageReport> {
      const { appId, workspaceId, userId } = visitor;
      const owner = isOwnUser(visitor) ? { personId: userId } : { workspaceId, userId };
      return await report(appId, owner, query);
    },
    everyone: async ({ appId }: Visitor, query: QueryOf<"usage.everyone">) =>
      await report(appId, { appId }, query),
  };
}

type DaySum = Omit<rows.UsageSum, "quarter"> & { day: number };

/** Adds the quarters of each day. `starts` has the start of each day and the end of the last one. */
function sumDays(quarters: readonly rows.UsageSum[], starts: readonly number[]): DaySum[] {
  const sums = new Map<string, DaySum>();
  for (const { quarter: _, day, ...counts } of withDays(quarters, starts)) {
    const key = `${day} ${counts.model ?? ""} ${counts.assistant_id ?? ""}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { day, ...counts });
    else for (const name of rows.countNames) sum[name] += counts[name];
  }
  return [...sums.values()];
}

function sumFeedbackDays(quarters: readonly rows.FeedbackSum[], starts: readonly number[]) {
  return [...Map.groupBy(withDays(quarters, starts), ({ day }) => day)].map(([day, sums]) => ({
    day,
    positive: sums.reduce((total, { positive }) => total + positive, 0),
    negative: sums.reduce((total, { negative }) => total + negative, 0),
  }));
}

/** The quarters, which are in the order of time, with the numbers of their days. */
function withDays<Sum extends { quarter: number }>(
  quarters: readonly Sum[],
  starts: readonly number[],
): (Sum & { day: number })[] {
  let day = 0;
  return quarters.map((sum) => {
    while (sum.quarter * rows.quarterMs >= starts[day + 1]!) day++;
    return { ...sum, day };
  });
}

const dayMs = 86_400_000;

function printDay(day: number): string {
  return isoTime(day * dayMs).slice(0, 10);
}

/** Days since 1970. Throws `bad-day-range` for one that is not in the calendar. */
function dayNumber(day: string): number {
  const atMs = Date.parse(`${day}T00:00:00.000Z`);
  if (Number.isNaN(atMs) || printDay(atMs / dayMs) !== day) throw new AppError("bad-day-range");
  return atMs / dayMs;
}
