import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { AppError } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import type { Visitor } from "../lib/route.ts";
import type { Threads } from "../threads/threads.ts";
import * as rows from "./rows.ts";
import { sumPinned } from "./tree-rows.ts";
import { invalidateSummaries } from "./summaries/invalidate.ts";
import { findMessage } from "./write-messages.ts";

export type Pins = ReturnType<typeof createPins>;

/** Pinned messages, which models read in full, however long the thread is. */
export function createPins({
  db,
  threads,
  live,
}: {
  db: Database;
  threads: Pick<Threads, "lock">;
  live: Live;
}) {
  return {
    /** Throws `thread-not-found`, `message-not-found`, `too-many-pins`. */
    async set(visitor: Visitor, threadId: string, messageId: string, isPinned: boolean): Promise<void> {
      const { workspaceId } = visitor;
      await db.write(async (tx) => {
        await threads.lock(tx, visitor, threadId);
        const row = await findMessage(tx, threadId, messageId, "message-not-found");
        if ((row.is_pinned === 1) === isPinned) return;
        await rows.setPinned(tx, messageId, isPinned);
        if (isPinned) await checkRoom(tx, threadId);
        // A summary that was written while the message was pinned does not have it.
        if (!isPinned) await invalidateSummaries(tx, live, { workspaceId, threadId }, [messageId]);
        await live.announce(tx, workspaceId, [
          {
            type: "message-put",
            thread_id: threadId,
            message_id: messageId,
            parent_id: row.parent_id,
          },
        ]);
      });
    },
  };
}

/** Pinned messages are in every request, so they must leave room for the conversation. */
async function checkRoom(tx: Tx, threadId: string): Promise<void> {
  const { count, characters } = await sumPinned(tx.q, threadId);
  if (count > limits.pinnedMessagesMax || characters > limits.pinnedCharactersMax)
    throw new AppError("too-many-pins");
}
