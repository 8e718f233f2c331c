import { isoTime } from "#server/lib/clock.ts";
import type { Asker } from "#contract/endpoints/thread-members.ts";
import type { BranchMessage, AnsweredBy, Message } from "#contract/endpoints/messages.ts";
import type { MessageRun } from "#contract/endpoints/client-leases.ts";
import type { QueuedMessage } from "#contract/endpoints/messages.ts";
import type { Feedback } from "#contract/endpoints/scores.ts";
import type { SignUrls } from "../files/file-references.ts";
import { presentRun, statusOfLease } from "./client-leases/present.ts";
import type { LeaseRow } from "./client-leases/rows.ts";
import type { QueuedRow } from "./queue/rows.ts";
import type { MessageRow } from "./rows.ts";

/** A message as the protocol lists it. `signUrls` adds signatures to the file URLs in a text. */
export function presentMessage(row: MessageRow, signUrls: SignUrls, run: MessageRun | undefined): Message {
  return {
    id: row.id,
    parent_id: row.parent_id,
    external_id: row.external_id,
    height: row.height,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    format: row.format,
    content: JSON.parse(signUrls(row.content)) as Record<string, unknown>,
    ...(run === undefined ? {} : { run }),
  };
}

/** Like `presentMessage`, with the fields that only our own app needs. */
export function presentBranchMessage(
  row: MessageRow,
  signUrls: SignUrls,
  {
    siblings,
    feedback,
    author,
    asker,
    lease,
    nowMs,
  }: {
    siblings: string[];
    feedback: Omit<Feedback, "feedback_id"> | undefined;
    author: AnsweredBy | undefined;
    asker: Asker | undefined;
    lease: LeaseRow | undefined;
    nowMs: number;
  },
): BranchMessage {
  const run = presentRun(row, lease, nowMs);
  const ofLease = lease === undefined || run === undefined ? undefined : statusOfLease(lease, run);
  return {
    ...presentMessage(row, signUrls, run),
    role: row.role,
    status: ofLease ?? { type: row.status, reason: row.status_reason, error_code: row.error_code },
    run_id: row.run_id,
    siblings,
    made_by: author ?? null,
    ...(asker === undefined ? {} : { asked_by: asker }),
    is_pinned: row.is_pinned === 1,
    feedback: feedback?.type ?? null,
    feedback_reason: feedback?.reason ?? null,
    feedback_comment: feedback?.comment ?? null,
  };
}

type QueueEntry = QueuedRow & { parent_status: MessageRow["status"] };

export function presentQueued(row: QueueEntry, asker: Asker | undefined, signUrls: SignUrls): QueuedMessage {
  return {
    id: row.id,
    thread_id: row.thread_id,
    parent_id: row.parent_id,
    run_id: row.run_id,
    reply_id: row.reply_id,
    assistant_id: row.assistant_id,
    model: row.model,
    content: JSON.parse(signUrls(row.content)) as Record<string, unknown>,
    ...(asker === undefined ? {} : { asked_by: asker }),
    is_held: isHeld(row),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** Whether no run writes the reply before the entry any more, so that the entry is not sent automatically. */
export function isHeld({ parent_status: status }: QueueEntry): boolean {
  return status !== "running" && status !== "requires-action";
}
