import type { BranchMessage, Maker, Message } from "#contract/endpoints/messages.ts";
import type { QueuedMessage } from "#contract/endpoints/messages.ts";
import type { FeedbackType } from "#contract/endpoints/scores.ts";
import type { ShownText } from "../files/mentions.ts";
import type { QueuedRow } from "./queue-rows.ts";
import type { MessageRow } from "./rows.ts";

/** A message as the protocol lists it. */
export function presentMessage(row: MessageRow, shown: ShownText): Message {
  return {
    id: row.id,
    parent_id: row.parent_id,
    external_id: row.external_id,
    height: row.height,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    format: row.format,
    content: JSON.parse(shown(row.content)) as Record<string, unknown>,
  };
}

/** The same with what our own app needs beside it. */
export function presentBranchMessage(
  row: MessageRow,
  siblings: string[],
  feedback: FeedbackType | undefined,
  maker: Maker | undefined,
  shown: ShownText,
): BranchMessage {
  return {
    ...presentMessage(row, shown),
    role: row.role,
    status: { type: row.status, reason: row.status_reason, error_code: row.error_code },
    run_id: row.run_id,
    siblings,
    made_by: maker ?? null,
    feedback: feedback ?? null,
  };
}

type Waiting = QueuedRow & { parent_status: MessageRow["status"] };

export function presentQueued(row: Waiting, shown: ShownText): QueuedMessage {
  return {
    id: row.id,
    thread_id: row.thread_id,
    parent_id: row.parent_id,
    run_id: row.run_id,
    reply_id: row.reply_id,
    assistant_id: row.assistant_id,
    model: row.model,
    content: JSON.parse(shown(row.content)) as Record<string, unknown>,
    is_held: isHeld(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

/** Nothing is being written any more where it waits. */
export function isHeld({ parent_status: status }: Waiting): boolean {
  return status !== "running" && status !== "requires-action";
}
