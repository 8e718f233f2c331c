import { sql, type RawBuilder } from "kysely";
import type { Engine } from "../../lib/engine.ts";
import { sqlTypes } from "../sql-types.ts";

/** Runs, and what applications report about runs of their own. */
export function runs(engine: Engine): RawBuilder<unknown>[] {
  const { text, bigint, int, real, strict } = sqlTypes(engine);
  return [
    sql`create table runs (
      id ${text} not null primary key,
      origin ${text} not null,
      project_id ${text} not null references projects (id),
      workspace_id ${text} not null references workspaces (id) on delete cascade,
      user_id ${text} not null,
      -- The cost of a run still counts after its thread is deleted.
      thread_id ${text} references threads (id) on delete set null,
      message_id ${text},
      reply_id ${text},
      assistant_id ${text},
      model ${text},
      state ${text} not null,
      finish_reason ${text},
      error_code ${text},
      request_hash ${text},
      stop_requested_at ${bigint},
      lease_owner ${text},
      lease_expires_at ${bigint},
      input_tokens ${bigint},
      output_tokens ${bigint},
      reasoning_tokens ${bigint},
      cached_tokens ${bigint},
      cost_micros ${bigint},
      created_at ${bigint} not null,
      started_at ${bigint},
      first_token_at ${bigint},
      ended_at ${bigint},
      asked_again ${int} default 0 not null,
      notes ${text},
      time_zone ${text}
    ) ${strict}`,
    sql`create index runs_of_thread on runs (thread_id, created_at, id)`,
    sql`create index runs_of_workspace on runs (workspace_id, created_at)`,
    sql`create index runs_of_project on runs (project_id, created_at, id)`,
    sql`create index runs_by_reply on runs (reply_id)`,
    sql`create index runs_by_message on runs (message_id)`,
    // Queries must say "ended_at is null" to use these three. A list of states as parameters would not match.
    sql`create index runs_alive on runs (state, lease_expires_at) where ended_at is null`,
    sql`create index runs_alive_of_thread on runs (thread_id) where ended_at is null`,
    sql`create index runs_alive_of_workspace on runs (workspace_id, user_id) where ended_at is null`,

    sql`create table run_reports (
      run_id ${text} not null primary key references runs (id) on delete cascade,
      thread_id ${text},
      trace_id ${text},
      status ${text} not null,
      outcome_type ${text},
      error_code ${text},
      provider ${text},
      environment ${text},
      release ${text},
      tags ${text} not null,
      attributes ${text} not null,
      details ${text} not null,
      service_name ${text},
      agent_name ${text},
      reported ${int} default 1 not null
    ) ${strict}`,
    sql`create unique index run_reports_once on run_reports (thread_id, trace_id) where trace_id is not null`,
    sql`create index run_reports_by_trace on run_reports (trace_id)`,

    sql`create table traces (
      project_id ${text} not null references projects (id),
      trace_id ${text} not null,
      run_id ${text} references runs (id) on delete cascade,
      constraint traces_key primary key (project_id, trace_id)
    ) ${strict}`,
    sql`create index traces_by_run on traces (run_id)`,

    sql`create table run_spans (
      run_id ${text} not null references runs (id) on delete cascade,
      span_id ${text} not null,
      parent_span_id ${text},
      name ${text} not null,
      operation ${text},
      provider ${text},
      model ${text},
      tool_name ${text},
      tool_call_id ${text},
      error_type ${text},
      failed ${int} not null,
      finish_reason ${text},
      started_ms ${real} not null,
      ended_ms ${real} not null,
      first_token_ms ${real},
      input_tokens ${bigint},
      output_tokens ${bigint},
      reasoning_tokens ${bigint},
      cached_tokens ${bigint},
      input ${text},
      output ${text},
      attributes ${text} not null,
      constraint run_spans_key primary key (run_id, span_id)
    ) ${strict}`,
  ];
}
