import { isoTime } from "#server/lib/clock.ts";
import { errors, type ErrorCode } from "#contract/errors.ts";
import type { Run } from "#contract/endpoints/runs.ts";
import { visibleModel, visibleUsage, type RunRow } from "./rows.ts";

export function presentRun(row: RunRow, lastSeq: number): Run {
  const code = row.error_code as ErrorCode | null;
  return {
    id: row.id,
    thread_id: row.thread_id,
    message_id: row.message_id,
    reply_id: row.reply_id,
    state: row.state,
    model: visibleModel(row),
    assistant_id: row.assistant_id,
    created_at: isoTime(row.created_at),
    first_token_at: isoTime(row.first_token_at),
    ended_at: isoTime(row.ended_at),
    finish_reason: row.finish_reason,
    error: code === null ? null : { code, message: errors[code].message },
    usage: visibleUsage(row),
    last_seq: lastSeq,
  };
}
