import type { Tx } from "#storage/database/database.ts";
import type { Live } from "../live/live.ts";
import * as rows from "./rows.ts";

/** A person of a project who is to leave no trace, and what stands in their place where something must. */
export type Erased = { projectId: string; userId: string; marker: string };

/**
 * In the transaction of an erasure: deletes for good every thread that this person made, and all in the workspaces
 * that are theirs alone. Answers which went.
 */
export async function eraseThreads(
  tx: Tx,
  live: Live,
  who: Erased,
  workspaceIds: string[],
): Promise<{ id: string; workspace_id: string }[]> {
  const gone = await rows.deleteThreadsOf(tx, who, workspaceIds);
  // Earlier news may hold a title of theirs; whoever follows begins anew.
  const affected = [...new Set([...workspaceIds, ...gone.map((row) => row.workspace_id)])].toSorted();
  for (const workspaceId of affected) {
    await live.forget(tx, workspaceId);
    const news = gone
      .filter((row) => row.workspace_id === workspaceId)
      .map(({ id }) => ({ type: "thread-gone", thread_id: id }) as const);
    await live.announce(tx, workspaceId, news);
  }
  return gone;
}
