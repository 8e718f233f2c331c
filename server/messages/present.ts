import type { BranchMessage, Message } from "#contract/messages.ts";
import type { FeedbackType } from "#contract/scores.ts";
import type { MessageRow } from "./rows.ts";

/** A message as the protocol lists it. */
export function presentMessage(row: MessageRow): Message {
  return {
    id: row.id,
    parent_id: row.parent_id,
    external_id: row.external_id,
    height: row.height,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    format: row.format,
    content: JSON.parse(row.content) as Record<string, unknown>,
  };
}

/** The same with what our own app needs beside it. */
export function presentBranchMessage(
  row: MessageRow,
  siblings: string[],
  feedback: FeedbackType | undefined,
): BranchMessage {
  return {
    ...presentMessage(row),
    role: row.role,
    status: { type: row.status, reason: row.status_reason, error_code: row.error_code },
    run_id: row.run_id,
    siblings,
    feedback: feedback ?? null,
  };
}
