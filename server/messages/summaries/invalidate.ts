import type { Tx } from "#storage/database/database.ts";
import type { Live } from "#server/live/live.ts";
import * as messageRows from "../rows.ts";
import { deleteSummaries, deleteSummariesOf, hasSummaries } from "./rows.ts";

/**
 * Deletes the summaries that cover one of these messages, which are about to be changed or deleted. Otherwise deleted text
 * would survive in a summary.
 */
export async function invalidateSummaries(
  tx: Tx,
  live: Live,
  { workspaceId, threadId }: { workspaceId: string; threadId: string },
  messageIds: string[],
): Promise<void> {
  if (!(await hasSummaries(tx.q, threadId))) return;
  // A summary covers its message and everything above it.
  const below = await messageRows.findSubtree(tx, threadId, messageIds);
  const deleted = await deleteSummaries(
    tx,
    threadId,
    below.map(({ id }) => id),
  );
  if (deleted > 0) await live.announce(tx, workspaceId, [{ type: "summary-put", thread_id: threadId }]);
}

/** In the transaction of an erasure, before the messages of this person are emptied. */
export const eraseSummaries = deleteSummariesOf;
