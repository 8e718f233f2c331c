import type { Score, ScoreResponse } from "#contract/endpoints/scores.ts";
import type { ScoreRow } from "./rows.ts";

/** The response to a client that stored a score. */
export function presentScoreResult(row: ScoreRow): ScoreResponse {
  return {
    score_id: row.id,
    name: row.name,
    data_type: row.data_type,
    value: row.value,
    string_value: row.string_value,
  };
}

/** A score as the project's backend reads it. */
export function presentScore(row: ScoreRow): Score {
  return {
    id: row.id,
    thread_id: row.thread_id,
    message_id: row.message_id,
    run_id: row.run_id,
    name: row.name,
    data_type: row.data_type,
    value: row.value,
    string_value: row.string_value,
    source: row.source,
    author_id: row.author_id,
    comment: row.comment,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
