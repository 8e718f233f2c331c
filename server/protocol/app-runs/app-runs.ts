import type { QueryOf } from "#contract/api.ts";
import { isJsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { AppRun, UsageDay, UsagePeriod } from "#contract/endpoints/apps.ts";
import type { RunReportFields } from "#contract/endpoints/reports.ts";
import { isRunEnded } from "#contract/run-events.ts";
import type { Database } from "#storage/database/database.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { positionCursor, readPosition } from "#server/lib/page.ts";
import type { AppKey } from "#server/lib/route.ts";
import { reportedSpans } from "../reports/reported-spans.ts";
import { presentSpans } from "../traces/present-span.ts";
import { visibleCost, visibleModel, visibleUsage } from "#server/runs/rows.ts";
import * as rows from "./rows.ts";
import { listSpans } from "../traces/span-rows.ts";

const dayMs = 24 * 60 * 60_000;
/** The range if the query names no first day: a month, the last day included. */
const defaultDays = 30;

export type AppRuns = ReturnType<typeof createAppRuns>;

/** All runs of an app, whether our own, streamed or reported, for the app's backend. */
export function createAppRuns(options: { db: Database; clock: Clock }) {
  const { db, clock } = options;
  return {
    /** Newest first. Throws `bad-cursor`. */
    async list(
      key: AppKey,
      query: QueryOf<"apps.runs">,
    ): Promise<{ runs: AppRun[]; next_cursor: string | null }> {
      const { cursor, limit = limits.runPage, ...filter } = query;
      const after = cursor === undefined ? undefined : readPosition(cursor);
      const page = await rows.listAppRuns(db, key.appId, { ...filter, after, limit });
      const last = page.length === limit ? page.at(-1) : undefined;
      const next = last && positionCursor({ atMs: last.created_at, id: last.id });
      return { runs: page.map(presentAppRun), next_cursor: next ?? null };
    },

    /** Throws `run-not-found`. */
    async get(key: AppKey, runId: string): Promise<AppRun> {
      const row = await rows.findAppRun(db, key.appId, runId);
      if (row === undefined) throw new AppError("run-not-found");
      const spans = presentSpans(await listSpans(db.read, runId));
      return {
        ...presentAppRun(row),
        spans: spans.length > 0 ? spans : reportedSpans(detailsOf(row), { ...row, model: visibleModel(row) }),
      };
    },

    /** Usage by day (UTC): every day of the range, or grouped by model only days with runs. Throws `bad-day-range`. */
    async usage(key: AppKey, query: QueryOf<"apps.usage">): Promise<UsageDay[]> {
      const to = query.to === undefined ? Math.floor(clock.now() / dayMs) : dayNumber(query.to);
      const from = query.from === undefined ? to - defaultDays + 1 : dayNumber(query.from);
      if (to < from || to - from > limits.usageDaysMax) throw new AppError("bad-day-range");
      const byModel = query.group_by === "model";
      const used = await rows.sumUsage(db, key.appId, {
        fromMs: from * dayMs,
        toMs: (to + 1) * dayMs,
        byModel,
      });
      if (byModel)
        return used.map((row) => ({
          ...usageDay(row.day, row),
          provider: row.provider,
          model_id: row.model,
        }));
      const byDay = new Map(used.map((row) => [row.day, row]));
      return Array.from({ length: to - from + 1 }, (_, index) =>
        usageDay(from + index, byDay.get(from + index)),
      );
    },

    /** Usage in the current calendar month (UTC). */
    async usagePeriod({ appId }: AppKey): Promise<UsagePeriod> {
      const now = new Date(clock.now());
      const month = (offset: number): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1);
      const range = { fromMs: month(0), toMs: month(1) };
      const titles = await rows.countModelTitles(db, appId, range);
      const noLimit = { included: null, cap: null, capped_at: null };
      return {
        plan: "self-hosted",
        period_start: isoTime(range.fromMs),
        period_end: isoTime(range.toMs),
        active_users: await rows.countActiveUsers(db, appId, range),
        ...noLimit,
        thread_titles: { used: titles, completed: titles, ...noLimit },
      };
    },
  };
}

function presentAppRun(row: rows.AppRunRow): AppRun {
  const details = detailsOf(row);
  const tokens = visibleUsage(row);
  const parsed: unknown = row.attributes === null ? {} : JSON.parse(row.attributes);
  const attributes = isJsonObject(parsed) ? parsed : {};
  const usage = {
    input_tokens: tokens.input,
    cached_input_tokens: tokens.cached,
    output_tokens: tokens.output,
    reasoning_tokens: tokens.reasoning,
  };
  return {
    id: row.id,
    thread_id: row.thread_id ?? row.reported_thread_id,
    message_id: row.reply_id,
    created_by: row.user_id,
    status: isRunEnded(row.state) ? row.status : null,
    outcome_type: row.outcome,
    error_code: row.reported_error_code ?? row.error_code,
    provider: row.provider,
    model_id: visibleModel(row),
    environment: row.environment,
    release: row.release,
    tags: row.tags === null ? [] : (JSON.parse(row.tags) as string[]),
    metadata: attributes,
    attributes,
    root_span_id: details.root_span_id ?? null,
    cost_details: details.cost_details ?? null,
    usage_details: knownCounts(usage),
    ...usage,
    duration_ms: details.duration_ms ?? since(row.started_at, row.ended_at),
    first_token_ms: details.first_token_ms ?? since(row.started_at, row.first_token_at),
    cost_usd: details.cost_usd ?? visibleCost(row),
    total_steps: details.total_steps ?? null,
    service_name: row.service_name,
    agent_name: row.agent_name,
    assistant_id: row.assistant_id,
    created_at: isoTime(row.created_at),
  };
}

function detailsOf({ details }: rows.AppRunRow): Partial<RunReportFields> {
  return details === null ? {} : (JSON.parse(details) as Partial<RunReportFields>);
}

function knownCounts(counts: Record<string, number | null>): Record<string, number> | null {
  const known = Object.entries(counts).filter((count): count is [string, number] => count[1] !== null);
  return known.length === 0 ? null : Object.fromEntries(known);
}

function since(start: number | null, end: number | null): number | null {
  return start === null || end === null ? null : Math.max(0, end - start);
}

function usageDay(day: number, used: rows.UsageRow | undefined): UsageDay {
  const {
    runs = 0,
    errors = 0,
    input_tokens: input = 0,
    output_tokens: output = 0,
    cost_micros: micros = 0,
  } = used ?? {};
  return {
    day: isoTime(day * dayMs).slice(0, 10),
    runs,
    errors,
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cost_usd: micros / 1e6,
  };
}

/** Days since 1970. Throws `bad-day-range` for one that is not in the calendar. */
function dayNumber(day: string): number {
  const atMs = Date.parse(`${day}T00:00:00.000Z`);
  if (Number.isNaN(atMs) || isoTime(atMs).slice(0, 10) !== day) throw new AppError("bad-day-range");
  return atMs / dayMs;
}
