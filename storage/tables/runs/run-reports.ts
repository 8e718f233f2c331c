import { bigint, integer, real, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

// Runs outlive their thread, because their usage still counts. Their text does not.
const emptyReports = `update run_reports set details = '{}', attributes = '{}', tags = '[]' where thread_id = old.id;`;

/** Details of reported runs; one row for each run of the origin `reported`. */
export const runReports = table("run_reports", {
  columns: {
    run_id: text().primaryKey().references("runs", "cascade"),
    /** The thread that the report names, which may be deleted; null if it names none. */
    thread_id: text().nullable(),
    /** The same trace in the same thread is the same run. */
    trace_id: text().nullable(),
    status: text<"completed" | "incomplete" | "error">(),
    outcome_type: text().nullable(),
    error_code: text().nullable(),
    provider: text().nullable(),
    environment: text().nullable(),
    release: text().nullable(),
    /** JSON list of texts. */
    tags: text(),
    /** JSON object: the application's own values. */
    attributes: text(),
    /** JSON object: the other fields of the report, unchanged. */
    details: text(),
    service_name: text().nullable(),
    agent_name: text().nullable(),
    /** 0 while only spans of the run have arrived, and no report. */
    reported: integer().default(1),
  },
  indexes: {
    run_reports_once: { on: "thread_id, trace_id", isUnique: true, where: "trace_id is not null" },
    run_reports_by_trace: "trace_id",
    run_reports_of_thread: "thread_id",
  },
  triggers: {
    sqlite: [`create trigger reports_of_gone_thread after delete on threads begin ${emptyReports} end`],
    postgres: [
      `create function empty_reports() returns trigger language plpgsql as $$ begin ${emptyReports} return null; end $$`,
      `create trigger reports_of_gone_thread after delete on threads for each row execute function empty_reports()`,
    ],
  },
  backup: "in backup",
});

/** The traces that reports or spans have named. */
export const traces = table("traces", {
  columns: {
    app_id: text().references("apps"),
    trace_id: text(),
    /** The run that its spans belong to; null while it has none. */
    run_id: text().nullable().references("runs", "cascade"),
  },
  constraints: ["primary key (app_id, trace_id)"],
  indexes: {
    traces_by_run: "run_id",
  },
  backup: "in backup",
});

/** The spans of a run that an application's telemetry sent. Times are milliseconds since 1970 with fractions. */
export const runSpans = table("run_spans", {
  columns: {
    run_id: text().references("runs", "cascade"),
    span_id: text(),
    parent_span_id: text().nullable(),
    name: text(),
    operation: text().nullable(),
    provider: text().nullable(),
    model: text().nullable(),
    tool_name: text().nullable(),
    tool_call_id: text().nullable(),
    error_type: text().nullable(),
    failed: integer(),
    finish_reason: text().nullable(),
    started_ms: real(),
    ended_ms: real(),
    /** Since the start of the span. */
    first_token_ms: real().nullable(),
    input_tokens: bigint().nullable(),
    output_tokens: bigint().nullable(),
    reasoning_tokens: bigint().nullable(),
    cached_tokens: bigint().nullable(),
    input: text().nullable(),
    output: text().nullable(),
    /** JSON object. */
    attributes: text(),
  },
  constraints: ["primary key (run_id, span_id)"],
  backup: "in backup",
});
