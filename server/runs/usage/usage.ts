import type { QueryOf } from "#contract/api.ts";
import type { UsageReport } from "#contract/endpoints/usage.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import type { Clock } from "#server/lib/clock.ts";
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
    projectId: string,
    owner: rows.UsageOwner,
    query: QueryOf<"usage.own">,
  ): Promise<UsageReport> {
    const timeZone = timeZoneOf(query.time_zone);
    const days = daysIn(timeZone);
    const to = query.to === undefined ? days.dayAt(clock.now()) : dayNumber(query.to);
    const from = query.from === undefined ? to - defaultDays + 1 : dayNumber(query.from);
    if (to < from || to - from >= limits.usageDaysMax) throw new AppError("bad-day-range");
    const starts = Array.from({ length: to - from + 2 }, (_, at) => days.startOf(from + at));
    const found = await rows.sumUsage(db, owner, {
      fromMs: starts[0]!,
      toMs: starts.at(-1)!,
      groupBy: query.group_by,
    });
    const sums = sumDays(found, starts);
    const ids = [...new Set(sums.flatMap(({ assistant_id: id }) => id ?? []))];
    const names = ids.length === 0 ? new Map<string, string>() : await assistants.findNames(projectId, ids);
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
    };
  }

  return {
    async own(visitor: Visitor, query: QueryOf<"usage.own">): Promise<UsageReport> {
      const { projectId, workspaceId, userId } = visitor;
      const owner = isOwnUser(visitor) ? { personId: userId } : { workspaceId, userId };
      return await report(projectId, owner, query);
    },
    everyone: async ({ projectId }: Visitor, query: QueryOf<"usage.everyone">) =>
      await report(projectId, { projectId }, query),
  };
}

type DaySum = Omit<rows.UsageSum, "quarter"> & { day: number };

/** Adds the quarters of each day. `starts` has the start of each day and the end of the last one. */
function sumDays(quarters: readonly rows.UsageSum[], starts: readonly number[]): DaySum[] {
  const sums = new Map<string, DaySum>();
  let day = 0;
  for (const { quarter, ...counts } of quarters) {
    while (quarter * rows.quarterMs >= starts[day + 1]!) day++;
    const key = `${day} ${counts.model ?? ""} ${counts.assistant_id ?? ""}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { day, ...counts });
    else for (const name of rows.countNames) sum[name] += counts[name];
  }
  return [...sums.values()];
}

const dayMs = 86_400_000;

function printDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** Days since 1970. Throws `bad-day-range` for one that is not in the calendar. */
function dayNumber(day: string): number {
  const atMs = Date.parse(`${day}T00:00:00.000Z`);
  if (Number.isNaN(atMs) || printDay(atMs / dayMs) !== day) throw new AppError("bad-day-range");
  return atMs / dayMs;
}
