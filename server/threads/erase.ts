import type { Tx } from "#storage/database/database.ts";
import type { Live } from "../live/live.ts";
import { listReaders } from "./members/rows.ts";
import * as rows from "./rows.ts";

/** A person of an app whose data is erased, and the marker that replaces their user id in rows that are kept. */
export type Erased = { appId: string; userId: string; marker: string };

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
  const workspacesWith = await rows.findWorkspacesWith(tx, person);
  const readers = await listReaders(tx, await rows.findThreadsOf(tx, person, workspaceIds));
  const deleted = await rows.deleteThreadsOf(tx, person, workspaceIds);
  const gone = [...deleted, ...readers.map((row) => ({ id: row.thread_id, workspace_id: row.workspace_id }))];
  // Earlier feed entries may contain the person's titles, name and id. Clients reload when the feed is dropped.
  const affected = [
    ...new Set([...workspaceIds, ...workspacesWith, ...gone.map((row) => row.workspace_id)]),
  ].toSorted();
  for (const workspaceId of affected) {
    await live.clear(tx, workspaceId);
    const changes = gone
      .filter((row) => row.workspace_id === workspaceId)
      .map(({ id }) => ({ type: "thread-gone", thread_id: id }) as const);
    await live.announce(tx, workspaceId, changes);
  }
  return deleted;
}
