import type { Tx } from "#storage/database/database.ts";
import type { Live } from "../live/live.ts";
import * as rows from "./rows.ts";

/** A person of a project whose data is erased, and the marker that replaces their user id in rows that are kept. */
export type Erased = { projectId: string; userId: string; marker: string };

/**
 * In the transaction of an erasure: permanently deletes every thread that this person created, and all threads in their
 * personal workspaces. Returns the deleted threads.
 */
export async function eraseThreads(
  tx: Tx,
  live: Live,
  person: Erased,
  workspaceIds: string[],
): Promise<{ id: string; workspace_id: string }[]> {
  const deleted = await rows.deleteThreadsOf(tx, person, workspaceIds);
  // Earlier feed entries may contain the person's titles. Clients reload when the feed is dropped.
  const affected = [...new Set([...workspaceIds, ...deleted.map((row) => row.workspace_id)])].toSorted();
  for (const workspaceId of affected) {
    await live.clear(tx, workspaceId);
    const changes = deleted
      .filter((row) => row.workspace_id === workspaceId)
      .map(({ id }) => ({ type: "thread-gone", thread_id: id }) as const);
    await live.announce(tx, workspaceId, changes);
  }
  return deleted;
}
