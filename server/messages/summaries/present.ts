import { isoTime } from "#server/lib/clock.ts";
import type { Summary } from "#contract/endpoints/summaries.ts";
import type { PlacedSummary, SummaryRow } from "./rows.ts";

/** Whether models read the summary: it is complete and not removed. */
export function isInUse({ pending_until: pendingUntil, removed_at: removedAt }: SummaryRow): boolean {
  return pendingUntil === null && removedAt === null;
}

export function presentSummary(row: PlacedSummary): Summary {
  return {
    message_id: row.message_id,
    text: row.text,
    message_count: row.height + 1,
    model: row.model,
    is_edited: row.is_edited === 1,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}
