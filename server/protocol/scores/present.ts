import { isoTime } from "#server/lib/clock.ts";
import {
  feedbackReasons,
  type Feedback,
  type Score,
  type ScoreResponse,
} from "#contract/endpoints/scores.ts";
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

/** The rating that a boolean score `feedback` stores. An import can have a reason that this version does not know. */
export function feedbackOfScore({
  value,
  string_value: reason,
  comment,
}: Pick<ScoreRow, "value" | "string_value" | "comment">): Omit<Feedback, "feedback_id"> {
  return {
    type: value === 1 ? "positive" : "negative",
    reason: feedbackReasons.find((known) => known === reason) ?? null,
    comment,
  };
}

/** A score as the app's backend reads it. */
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
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}
