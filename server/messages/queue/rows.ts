import type { Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";
import type { MessageRow } from "../rows.ts";

/** The SQL of queued messages: a table that only this module writes. */

export type QueuedRow = Row<"queued_messages">;

/** A thread's entries in order, each with the status of the reply before it. */
export async function listQueued(
  q: Kysely<Tables>,
  threadId: string,
): Promise<(QueuedRow & { parent_status: MessageRow["status"] })[]> {
  return await q
    .selectFrom("queued_messages")
    .innerJoin("messages", (join) =>
      join
        .onRef("messages.thread_id", "=", "queued_messages.thread_id")
        .onRef("messages.id", "=", "queued_messages.parent_id"),
    )
    .selectAll("queued_messages")
    .select("messages.status as parent_status")
    .where("queued_messages.thread_id", "=", threadId)
    .where("removed_at", "is", null)
    .orderBy("position")
    .execute();
}

/** How many entries there are in all threads. */
export async function countQueued(q: Kysely<Tables>): Promise<number> {
  const { count } = await q
    .selectFrom("queued_messages")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("removed_at", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}

/** An entry of this thread, also a removed one. */
export async function findQueued(tx: Tx, threadId: string, id: string): Promise<QueuedRow | undefined> {
  return await tx.q
    .selectFrom("queued_messages")
    .selectAll()
    .where("id", "=", id)
    .where("thread_id", "=", threadId)
    .executeTakeFirst();
}

/** The entry, in any thread, that has one of these ids as its own or reserves it for its reply or run. */
export async function findQueuedAnywhere(
  tx: Tx,
  ids: { id?: string; replyId?: string; runId?: string },
): Promise<(QueuedRow & { workspace_id: string }) | undefined> {
  return await tx.q
    .selectFrom("queued_messages")
    .innerJoin("threads", "threads.id", "queued_messages.thread_id")
    .selectAll("queued_messages")
    .select("threads.workspace_id")
    .where((is) =>
      is.or([
        ...(ids.id === undefined ? [] : [is("queued_messages.id", "=", ids.id)]),
        ...(ids.replyId === undefined ? [] : [is("reply_id", "=", ids.replyId)]),
        ...(ids.runId === undefined ? [] : [is("run_id", "=", ids.runId)]),
      ]),
    )
    .executeTakeFirst();
}

/** The entries after this reply, in order. */
export async function listAfter(tx: Tx, threadId: string, parentId: string): Promise<QueuedRow[]> {
  return await tx.q
    .selectFrom("queued_messages")
    .selectAll()
    .where("thread_id", "=", threadId)
    .where("parent_id", "=", parentId)
    .where("removed_at", "is", null)
    .orderBy("position")
    .execute();
}

/** The size of a thread's queue, and the next free position. */
export async function measureQueue(
  tx: Tx,
  threadId: string,
): Promise<{ count: number; characters: number; nextPosition: number }> {
  const row = await tx.q
    .selectFrom("queued_messages")
    .select([
      sql<number>`count(case when removed_at is null then 1 end)`.as("count"),
      sql<number>`coalesce(sum(length(content)), 0)`.as("characters"),
      sql<number>`coalesce(max(position), 0)`.as("last"),
    ])
    .where("thread_id", "=", threadId)
    .executeTakeFirstOrThrow();
  return {
    count: row.count,
    characters: row.characters,
    nextPosition: row.last + 1,
  };
}

export async function insertQueued(tx: Tx, row: NewRow<"queued_messages">): Promise<void> {
  await tx.q.insertInto("queued_messages").values(row).execute();
}

export async function updateQueued(tx: Tx, id: string, change: RowChange<"queued_messages">): Promise<void> {
  await tx.q.updateTable("queued_messages").set(change).where("id", "=", id).execute();
}

export async function deleteQueued(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("queued_messages").where("id", "=", id).execute();
}

/** Those of `messageIds` that have entries after them, removed ones included. */
export async function findParentsWithQueue(
  tx: Tx,
  threadId: string,
  messageIds: string[],
): Promise<string[]> {
  const found = await tx.q
    .selectFrom("queued_messages")
    .select("parent_id")
    .distinct()
    .where("thread_id", "=", threadId)
    .where("parent_id", "in", idsOf(tx, messageIds))
    .execute();
  return found.map((row) => row.parent_id);
}

/**
 * Moves the entries after `parentIds` to the reply `toId`, in the order in which they were queued. Removed entries move
 * too, because they can be restored.
 */
export async function moveAfter(tx: Tx, threadId: string, parentIds: string[], toId: string): Promise<void> {
  await tx.q
    .updateTable("queued_messages")
    .set({ parent_id: toId })
    .where("thread_id", "=", threadId)
    .where("parent_id", "in", idsOf(tx, parentIds))
    .execute();
}

/** Gives the entries of `from` in these threads to `to`. */
export async function reassignQueued(tx: Tx, threadIds: string[], from: string, to: string): Promise<void> {
  await tx.q
    .updateTable("queued_messages")
    .set({ created_by: to })
    .where("created_by", "=", from)
    .where("thread_id", "in", idsOf(tx, threadIds))
    .execute();
}

/** Deletes this person's entries in threads of an app. Returns the threads and their workspaces. */
export async function deleteQueuedOf(
  tx: Tx,
  appId: string,
  userId: string,
): Promise<{ thread_id: string; workspace_id: string }[]> {
  const threads = await tx.q
    .selectFrom("threads")
    .innerJoin("queued_messages", "queued_messages.thread_id", "threads.id")
    .select(["threads.id as thread_id", "threads.workspace_id"])
    .distinct()
    .where("threads.app_id", "=", appId)
    .where("queued_messages.created_by", "=", userId)
    .execute();
  if (threads.length === 0) return [];
  await tx.q
    .deleteFrom("queued_messages")
    .where("created_by", "=", userId)
    .where(
      "thread_id",
      "in",
      idsOf(
        tx,
        threads.map((row) => row.thread_id),
      ),
    )
    .execute();
  return threads;
}

/** Deletes entries that were removed before `before`. */
export async function pruneRemoved(tx: Tx, before: number): Promise<void> {
  await tx.q.deleteFrom("queued_messages").where("removed_at", "<", before).execute();
}
