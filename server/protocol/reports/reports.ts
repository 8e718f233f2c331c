import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { RunReport, RunReportFields } from "#contract/endpoints/reports.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { RowChange } from "#storage/database/tables.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { Quota } from "#server/quota/quota.ts";
import type { Threads } from "#server/threads/threads.ts";
import { toMicros } from "#server/models/cost.ts";
import { writeOnce } from "#server/lib/write-once.ts";
import { truncateAttributes } from "../traces/otlp/gen-ai.ts";
import { listedCostMicros } from "../prices.ts";
import { areTextsDue, withoutStepTexts, withoutTextAttributes } from "../retention/span-texts.ts";
import * as reportRows from "./report-rows.ts";
import { mergeSpans } from "../traces/merge-spans.ts";
import * as rows from "#server/runs/rows.ts";
import * as spanRows from "../traces/span-rows.ts";

export type Reports = ReturnType<typeof createReports>;

/** Runs that a client made with its own model, and reports afterwards. */
export function createReports(options: {
  db: Database;
  threads: Threads;
  messages: Messages;
  clock: Clock;
  quota: Quota;
}) {
  const { db, threads, messages, clock, quota } = options;

  async function updateExisting(tx: Tx, runId: string, fields: RunReportFields): Promise<string> {
    if (fields.message_id != null) await rows.changeRun(tx, runId, { reply_id: fields.message_id });
    if (fields.tags != null)
      await reportRows.updateReport(tx, runId, { tags: JSON.stringify(tagsOf(fields)) });
    return runId;
  }

  /** Completes a run that was created from the spans of its trace. */
  async function mergeIntoTracedRun(
    tx: Tx,
    runId: string,
    { id: _, created_at: __, ...run }: rows.RunRow,
    report: RowChange<"run_reports"> & { attributes: string },
  ): Promise<void> {
    const existing = (await reportRows.findReport(tx, runId))!;
    const attributes = truncateAttributes({
      ...(JSON.parse(existing.attributes) as JsonObject),
      ...(JSON.parse(report.attributes) as JsonObject),
    });
    await rows.changeRun(tx, runId, run);
    await reportRows.updateReport(tx, runId, {
      ...report,
      environment: report.environment ?? existing.environment,
      release: report.release ?? existing.release,
      attributes: JSON.stringify(attributes),
    });
    await mergeSpans(tx, runId, []);
  }

  return {
    /**
     * Stores a run and returns its id. Another report with the same trace in the same thread updates that run's message
     * and tags. A run that was created from the spans of that trace becomes the reported run. Throws `thread-not-found`,
     * `message-not-in-thread`, `attributes-too-large`, `too-large`, `quota-full`.
     */
    async add(visitor: Visitor, { fields, others }: RunReport): Promise<string> {
      const attributes = attributesOf(fields, others);
      if (bytesOf(detailsOf(fields)) > limits.runBytesMax) throw new AppError("too-large");
      const threadId = fields.thread_id;
      const traceId = isTraceId(fields.trace_id) ? fields.trace_id : null;
      return await writeOnce(db, async (tx) => {
        // Lock the trace first, as an export of its spans does, so that whichever comes second finds the run of the
        // first.
        const tracedId = traceId === null ? null : await spanRows.lockTrace(tx, visitor.appId, traceId);
        await threads.lock(tx, visitor, threadId);
        if (fields.message_id != null)
          await messages.find(tx, threadId, fields.message_id, "message-not-in-thread");
        const unreportedId =
          tracedId === null
            ? undefined
            : await spanRows.findUnreported(tx, tracedId, { threadId, workspaceId: visitor.workspaceId });
        const reportedId =
          traceId === null ? undefined : await reportRows.findReportedRunId(tx, threadId, traceId);
        if (reportedId !== undefined && reportedId !== unreportedId)
          return await updateExisting(tx, reportedId, fields);
        const run = reportedRun(visitor, fields, clock.now());
        const stored = (await areTextsDue(tx, await runOf(tx, unreportedId, run), run.created_at))
          ? { fields: withoutStepTexts(fields), attributes: withoutTextAttributes(attributes) }
          : { fields, attributes };
        const report = reportRow(stored.fields, traceId, JSON.stringify(stored.attributes));
        const runId = unreportedId ?? run.id;
        if (unreportedId !== undefined) await mergeIntoTracedRun(tx, unreportedId, run, report);
        else {
          await rows.insertRun(tx, run);
          await reportRows.insertReport(tx, {
            ...report,
            run_id: run.id,
            service_name: null,
            agent_name: null,
          });
        }
        await quota.checkThread(tx, threadId);
        return runId;
      });
    },
  };
}

/** The run that a report completes, or else the new one. */
async function runOf(tx: Tx, unreportedId: string | undefined, run: rows.RunRow): Promise<rows.RunRow> {
  return (unreportedId === undefined ? undefined : await rows.findRunAnywhere(tx, unreportedId)) ?? run;
}

function reportRow(fields: RunReportFields, traceId: string | null, attributes: string) {
  return {
    thread_id: fields.thread_id,
    trace_id: traceId,
    status: fields.status,
    outcome_type: fields.outcome_type ?? null,
    error_code: cleanNullable(fields.error_code),
    provider: cleanNullable(fields.provider ?? fields.provider_type),
    environment: cleanNullable(fields.environment),
    release: cleanNullable(fields.release),
    tags: JSON.stringify(tagsOf(fields)),
    attributes,
    details: JSON.stringify(detailsOf(fields)),
    reported: 1,
  };
}

/** The row in `runs` of a reported run: the fields that it shares with our own runs. */
function reportedRun(visitor: Visitor, fields: RunReportFields, nowMs: number): rows.RunRow {
  // A client may report any duration; a date before 1970 could not be printed.
  const startedAt = Math.max(0, nowMs - (fields.duration_ms ?? 0));
  return {
    ...rows.blankRun,
    id: newId("run", nowMs),
    origin: "reported",
    app_id: visitor.appId,
    workspace_id: visitor.workspaceId,
    user_id: visitor.userId,
    thread_id: fields.thread_id,
    reply_id: fields.message_id ?? null,
    model: cleanNullable(fields.model_id),
    ...stateOf(fields),
    input_tokens: fields.input_tokens ?? null,
    output_tokens: fields.output_tokens ?? null,
    reasoning_tokens: fields.reasoning_tokens ?? null,
    cached_tokens: fields.cached_input_tokens ?? null,
    cost_micros: costOf(fields, startedAt),
    created_at: nowMs,
    started_at: startedAt,
    first_token_at: fields.first_token_ms == null ? null : Math.min(nowMs, startedAt + fields.first_token_ms),
    ended_at: nowMs,
  };
}

function stateOf({
  status,
  outcome_type: outcome,
}: RunReportFields): Pick<rows.RunRow, "state" | "finish_reason"> {
  if (status === "error") return { state: "failed", finish_reason: "error" };
  if (outcome === "length") return { state: "completed", finish_reason: "length" };
  if (outcome === "content_filter") return { state: "completed", finish_reason: "content-filter" };
  if (status === "completed") return { state: "completed", finish_reason: "stop" };
  return {
    state: outcome === "disconnected" || outcome === "timeout" ? "interrupted" : "cancelled",
    finish_reason: "other",
  };
}

/** The reported cost, otherwise that by list prices. */
function costOf(fields: RunReportFields, startedAt: number): number | null {
  if (fields.cost_usd != null) return toMicros(fields.cost_usd);
  return listedCostMicros({
    provider: fields.provider ?? fields.provider_type ?? null,
    model: fields.model_id ?? null,
    input: fields.input_tokens ?? null,
    output: fields.output_tokens ?? null,
    cached: fields.cached_input_tokens ?? null,
    atMs: startedAt,
  });
}

/** Trimmed, without duplicates. */
function tagsOf({ tags }: RunReportFields): string[] {
  const cleanTags = (tags ?? []).map((tag) => cleanText(tag).trim());
  return [...new Set(cleanTags)].filter((tag) => tag !== "");
}

/**
 * The application's own values, in the protocol's order of precedence: attributes override unknown fields, which override
 * metadata. Unknown fields are kept as far as they fit the limit.
 */
function attributesOf({ metadata, attributes }: RunReportFields, others: JsonObject): JsonObject {
  let bytes = bytesOf({ ...metadata, ...attributes });
  if (bytes > limits.reportAttributesBytes) throw new AppError("attributes-too-large");
  const fittingOthers = Object.entries(others).filter(([key, value]) => {
    const size = bytesOf({ [key]: value });
    if (bytes + size > limits.reportAttributesBytes) return false;
    bytes += size;
    return true;
  });
  return { ...metadata, ...Object.fromEntries(fittingOthers), ...attributes };
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The fields that have no column of their own. */
const detailFields = [
  "error",
  "total_steps",
  "duration_ms",
  "first_token_ms",
  "output_text",
  "tool_calls",
  "steps",
  "cost_usd",
  "cost_details",
  "root_span_id",
] as const satisfies readonly (keyof RunReportFields)[];

function detailsOf(fields: RunReportFields): Partial<RunReportFields> {
  return Object.fromEntries(detailFields.map((name) => [name, fields[name]]));
}

/** Whether this is a W3C trace id. Others are not unique enough to identify a run. */
function isTraceId(traceId: string | null | undefined): traceId is string {
  return traceId != null && /^[0-9a-f]{32}$/.test(traceId);
}

function cleanNullable(text: string | null | undefined): string | null {
  return text == null ? null : cleanText(text);
}
