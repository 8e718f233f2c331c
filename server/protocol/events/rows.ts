import type { Tx } from "#storage/database/database.ts";
import { jsonElements, idsOf } from "#storage/database/portable-sql.ts";
import { sql } from "#storage/database/sql.ts";
import type { NewRow } from "#storage/database/tables.ts";
import type { ThreadMove } from "#server/threads/claim.ts";

/** The SQL of events: a table that only this module writes. */

export async function insertEvents(tx: Tx, events: Required<NewRow<"events">>[]): Promise<void> {
  if (events.length === 0) return;
  const values = events.map((event) => [
    event.id,
    event.app_id,
    event.workspace_id,
    event.user_id,
    event.kind,
    event.thread_id,
    event.message_id,
    event.run_id,
    event.value,
    event.props,
    event.created_at,
  ]);
  await sql`
    insert into events (id, app_id, workspace_id, user_id, kind, thread_id, message_id, run_id, value, props, created_at)
    select value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7,
      cast(value->>8 as bigint), value->>9, cast(value->>10 as bigint)
    from ${jsonElements(tx, values)}
  `.execute(tx.q);
}

/** Deletes this person's events. */
export async function deleteEventsOf(tx: Tx, appId: string, userId: string): Promise<void> {
  await tx.q.deleteFrom("events").where("app_id", "=", appId).where("user_id", "=", userId).execute();
}

export async function deleteEventsOfThread(tx: Tx, threadId: string): Promise<void> {
  await tx.q.deleteFrom("events").where("thread_id", "=", threadId).execute();
}

/** Deletes at most `limit` events that were recorded before `before`, oldest first. Returns their number. */
export async function deleteOldEvents(tx: Tx, before: number, limit: number): Promise<number> {
  const old = tx.q
    .selectFrom("events")
    .select("id")
    .where("created_at", "<", before)
    .orderBy("created_at")
    .limit(limit);
  const { numDeletedRows } = await tx.q.deleteFrom("events").where("id", "in", old).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Moves the events of moved threads to the new workspace, and gives those of `from.userId` to `to.userId`. */
export async function reassignEvents(tx: Tx, { threadIds, from, to }: ThreadMove): Promise<void> {
  await tx.q
    .updateTable("events")
    .set((event) => ({
      app_id: to.appId,
      workspace_id: to.workspaceId,
      user_id: event
        .case()
        .when("user_id", "=", from.userId)
        .then(to.userId)
        .else(event.ref("user_id"))
        .end(),
    }))
    .where("workspace_id", "=", from.workspaceId)
    .where("thread_id", "in", idsOf(tx, threadIds))
    .execute();
}
