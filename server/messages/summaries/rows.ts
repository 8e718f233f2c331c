import { idsOf } from "#storage/database/portable-sql.ts";
import type { Tx } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";

/** The SQL of summaries: a table that only this folder writes. */

export type SummaryRow = Row<"summaries">;

/** The position of its message in the tree. */
export type PlacedSummary = SummaryRow & { height: number };

/** All summaries of a thread, also removed ones and those that are being written, the longest branch first. */
export async function listSummaries(q: Kysely<Tables>, threadId: string): Promise<PlacedSummary[]> {
  return await q
    .selectFrom("summaries")
    .innerJoin("messages", "messages.id", "summaries.message_id")
    .selectAll("summaries")
    .select("messages.height")
    .where("summaries.thread_id", "=", threadId)
    .orderBy("messages.height", "desc")
    .orderBy("summaries.message_id")
    .execute();
}

export async function findSummary(
  tx: Tx,
  threadId: string,
  messageId: string,
): Promise<PlacedSummary | undefined> {
  return (await listSummaries(tx.q, threadId)).find((row) => row.message_id === messageId);
}

/** Stores a summary in place of an earlier one of the same message. */
export async function putSummary(tx: Tx, row: NewRow<"summaries">): Promise<void> {
  const { message_id: _, created_at: __, ...change } = row;
  await tx.q
    .insertInto("summaries")
    .values(row)
    .onConflict((conflict) => conflict.column("message_id").doUpdateSet(change))
    .execute();
}

export async function changeSummary(
  tx: Tx,
  messageId: string,
  change: RowChange<"summaries">,
): Promise<void> {
  await tx.q.updateTable("summaries").set(change).where("message_id", "=", messageId).execute();
}

/** Returns how many there were. */
export async function deleteSummaries(
  tx: Tx,
  threadId: string,
  messageIds: readonly string[],
): Promise<number> {
  const deleted = await tx.q
    .deleteFrom("summaries")
    .where("thread_id", "=", threadId)
    .where("message_id", "in", idsOf(tx, messageIds))
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** Extends the reservation of a summary that is still being written. */
export async function renewPending(
  tx: Tx,
  threadId: string,
  messageId: string,
  pendingUntil: number,
): Promise<void> {
  await tx.q
    .updateTable("summaries")
    .set({ pending_until: pendingUntil })
    .where("thread_id", "=", threadId)
    .where("message_id", "=", messageId)
    .where("pending_until", "is not", null)
    .execute();
}

/** Deletes a summary that is still being written. */
export async function deletePending(tx: Tx, threadId: string, messageId: string): Promise<void> {
  await tx.q
    .deleteFrom("summaries")
    .where("thread_id", "=", threadId)
    .where("message_id", "=", messageId)
    .where("pending_until", "is not", null)
    .execute();
}

/** Deletes the summaries of all threads of an app that have messages of this user. */
export async function deleteSummariesOf(tx: Tx, appId: string, userId: string): Promise<void> {
  const threads = tx.q
    .selectFrom("messages")
    .innerJoin("threads", "threads.id", "messages.thread_id")
    .select("threads.id")
    .where("threads.app_id", "=", appId)
    .where("messages.created_by", "=", userId);
  await tx.q.deleteFrom("summaries").where("thread_id", "in", threads).execute();
}

export async function hasSummaries(q: Kysely<Tables>, threadId: string): Promise<boolean> {
  const found = await q
    .selectFrom("summaries")
    .select("message_id")
    .where("thread_id", "=", threadId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
