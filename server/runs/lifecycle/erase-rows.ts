import { forUpdate, idsOf } from "#storage/database/portable-sql.ts";
import type { Tx } from "#storage/database/database.ts";
import type { Erased } from "#server/threads/erase.ts";
import type { RunRow } from "../rows.ts";

/** The SQL of runs that are erased. */

/** The runs of a thread, locked. */
export async function listRunsOfThread(
  tx: Tx,
  threadId: string,
): Promise<Pick<RunRow, "id" | "state" | "reply_id" | "ended_at">[]> {
  const query = tx.q
    .selectFrom("runs")
    .select(["id", "state", "reply_id", "ended_at"])
    .where("thread_id", "=", threadId)
    .orderBy("id");
  return await forUpdate(tx, query).execute();
}

/** Runs that this person started, or that belong to one of their threads or workspaces. */
export async function findRunsOf(
  tx: Tx,
  { appId, userId }: Erased,
  workspaceIds: string[],
): Promise<Pick<RunRow, "id" | "ended_at">[]> {
  const threads = tx.q
    .selectFrom("threads")
    .select("id")
    .where("app_id", "=", appId)
    .where("created_by", "=", userId);
  return await tx.q
    .selectFrom("runs")
    .select(["id", "ended_at"])
    .where("app_id", "=", appId)
    .where((is) =>
      is.or([
        is("user_id", "=", userId),
        is("workspace_id", "in", idsOf(tx, workspaceIds)),
        is("thread_id", "in", threads),
      ]),
    )
    .execute();
}

/** Replaces the user of these runs by `marker` and asks runs in progress to stop. Returns how many runs had the user. */
export async function removeUser(
  tx: Tx,
  ids: string[],
  { userId, marker }: Erased,
  nowMs: number,
): Promise<number> {
  await tx.q
    .updateTable("runs")
    .set({ stop_requested_at: nowMs })
    .where("id", "in", idsOf(tx, ids))
    .where("ended_at", "is", null)
    .where("stop_requested_at", "is", null)
    .execute();
  const renamed = await tx.q
    .updateTable("runs")
    .set({ user_id: marker, time_zone: null })
    .where("id", "in", idsOf(tx, ids))
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return Number(renamed.numUpdatedRows);
}
