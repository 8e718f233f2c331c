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
import type { Threads } from "#server/threads/threads.ts";
import { writeOnce } from "#server/lib/write-once.ts";
import { fitting } from "../traces/otlp/gen-ai.ts";
import * as reportRows from "./report-rows.ts";
import { retell } from "../traces/merge-spans.ts";
import * as rows from "#server/runs/rows.ts";
import * as spanRows from "../traces/span-rows.ts";

/** Runs that a client made elsewhere, with a model of its own, and tells us of. */
export type Reports = {
  /**
   * Records a run and answers its id; a report with the same trace of the same thread is the same run, to which it may
   * add its message and tags. What spans told of that trace is the same run too. Throws `thread-not-found`, `message-not-in-thread`, `attributes-too-large`.
   */
  add(visitor: Visitor, report: RunReport): Promise<string>;
};

export function createReports(options: {
  db: Database;
  threads: Threads;
  messages: Messages;
  clock: Clock;
}): Reports {
  const { db, threads, messages, clock } = options;

  async function again(tx: Tx, runId: string, fields: RunReportFields): Promise<string> {
    if (fields.message_id != null) await rows.changeRun(tx, runId, { reply_id: fields.message_id });
    if (fields.tags != null)
      await reportRows.changeReport(tx, runId, { tags: JSON.stringify(tagsOf(fields)) });
    return runId;
  }

  /** A report of a run that spans have told of already. */
  async function join(
    tx: Tx,
    runId: string,
    { id: _, created_at: __, ...run }: rows.RunRow,
    report: RowChange<"run_reports"> & { attributes: string },
  ): Promise<string> {
    const told = (await reportRows.findReport(tx, runId))!;
    const attributes = fitting({
      ...(JSON.parse(told.attributes) as JsonObject),
      ...(JSON.parse(report.attributes) as JsonObject),
    });
    await rows.changeRun(tx, runId, run);
    await reportRows.changeReport(tx, runId, {
      ...report,
      environment: report.environment ?? told.environment,
      release: report.release ?? told.release,
      attributes: JSON.stringify(attributes),
    });
    await retell(tx, runId, []);
    return runId;
  }

  return {
    async add(visitor, { fields, others }) {
      const attributes = JSON.stringify(attributesOf(fields, others));
      const threadId = fields.thread_id;
      const traceId = isTrace(fields.trace_id) ? fields.trace_id : null;
      return await writeOnce(db, async (tx) => {
        // The trace first, as its spans hold it: one of the two finds what the other made.
        const traced = traceId === null ? null : await spanRows.holdTrace(tx, visitor.projectId, traceId);
        await threads.hold(tx, visitor, threadId);
        if (fields.message_id != null)
          await messages.find(tx, threadId, fields.message_id, "message-not-in-thread");
        const untold =
          traced === null
            ? undefined
            : await spanRows.findUnreported(tx, traced, { threadId, workspaceId: visitor.workspaceId });
        const before = traceId === null ? undefined : await reportRows.findReported(tx, threadId, traceId);
        if (before !== undefined && before !== untold) return await again(tx, before, fields);
        const run = reportedRun(visitor, fields, clock.now());
        const report = {
          thread_id: threadId,
          trace_id: traceId,
          status: fields.status,
          outcome_type: fields.outcome_type ?? null,
          error_code: cleaned(fields.error_code),
          provider: cleaned(fields.provider ?? fields.provider_type),
          environment: cleaned(fields.environment),
          release: cleaned(fields.release),
          tags: JSON.stringify(tagsOf(fields)),
          attributes,
          details: JSON.stringify(detailsOf(fields)),
          reported: 1,
        };
        if (untold !== undefined) return await join(tx, untold, run, report);
        await rows.insertRun(tx, run);
        await reportRows.insertReport(tx, {
          ...report,
          run_id: run.id,
          service_name: null,
          agent_name: null,
        });
        return run.id;
      });
    },
  };
}

/** The report as a run of ours: what both have, in our own words. */
function reportedRun(visitor: Visitor, fields: RunReportFields, nowMs: number): rows.RunRow {
  // Times of a run that took longer than there has been time are nobody's to print.
  const startedAt = Math.max(0, nowMs - (fields.duration_ms ?? 0));
  return {
    ...rows.blankRun,
    id: newId("run", nowMs),
    origin: "reported",
    project_id: visitor.projectId,
    workspace_id: visitor.workspaceId,
    user_id: visitor.userId,
    thread_id: fields.thread_id,
    reply_id: fields.message_id ?? null,
    model: cleaned(fields.model_id),
    ...stateOf(fields),
    input_tokens: fields.input_tokens ?? null,
    output_tokens: fields.output_tokens ?? null,
    reasoning_tokens: fields.reasoning_tokens ?? null,
    cached_tokens: fields.cached_input_tokens ?? null,
    cost_micros: microsOf(fields.cost_usd),
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

/** Beyond this a sum of a million runs would no longer be exact. */
const microsMax = 1e12;

function microsOf(usd: number | null | undefined): number | null {
  return usd == null ? null : Math.min(microsMax, Math.round(usd * 1e6));
}

/** Trimmed, each once. */
function tagsOf({ tags }: RunReportFields): string[] {
  const cleanTags = (tags ?? []).map((tag) => cleanText(tag).trim());
  return [...new Set(cleanTags)].filter((tag) => tag !== "");
}

/**
 * What the application wants kept, under the protocol's rule of who wins: metadata, then fields that we do not know, then
 * attributes. Of the unknown ones those are kept that fit.
 */
function attributesOf({ metadata, attributes }: RunReportFields, others: JsonObject): JsonObject {
  const asked = { ...metadata, ...attributes };
  let bytes = bytesOf(asked);
  if (bytes > limits.reportAttributesBytes) throw new AppError("attributes-too-large");
  const fitting = Object.entries(others).filter(([key, value]) => {
    const size = bytesOf({ [key]: value });
    if (bytes + size > limits.reportAttributesBytes) return false;
    bytes += size;
    return true;
  });
  return { ...metadata, ...Object.fromEntries(fitting), ...attributes };
}

function bytesOf(value: JsonObject): number {
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

/** Only a trace of the standard's own form tells runs apart. */
function isTrace(traceId: string | null | undefined): traceId is string {
  return traceId != null && /^[0-9a-f]{32}$/.test(traceId);
}

function cleaned(text: string | null | undefined): string | null {
  return text == null ? null : cleanText(text);
}
