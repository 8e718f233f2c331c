import { forUpdate } from "#storage/database/portable-sql.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { sql, type RawBuilder } from "#storage/database/sql.ts";

/** The SQL of temporary threads. */

/** The threads that are due to be erased, oldest first. */
export async function findDue(db: Database, nowMs: number, limit: number): Promise<string[]> {
  const found = await db.read
    .selectFrom("threads")
    .select("id")
    .where("temporary_until", "is not", null)
    .where("temporary_until", "<=", nowMs)
    .orderBy("temporary_until")
    .limit(limit)
    .execute();
  return found.map(({ id }) => id);
}

/** Locks the thread if it is still due. */
export async function lockDue(
  tx: Tx,
  id: string,
  nowMs: number,
): Promise<{ workspace_id: string; deleted_at: number | null } | undefined> {
  const query = tx.q
    .selectFrom("threads")
    .select(["workspace_id", "deleted_at"])
    .where("id", "=", id)
    .where("temporary_until", "<=", nowMs);
  return await forUpdate(tx, query).executeTakeFirst();
}

/** All calls answer from now on as if the thread did not exist. */
export async function markDeleted(tx: Tx, id: string, nowMs: number): Promise<void> {
  await tx.q.updateTable("threads").set({ deleted_at: nowMs }).where("id", "=", id).execute();
}

export async function deleteThread(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("threads").where("id", "=", id).execute();
}

/** The text of the first message of a thread. */
export async function findFirstText(tx: Tx, id: string): Promise<string | undefined> {
  const found = await tx.q
    .selectFrom("messages")
    .select("plain_text")
    .where("thread_id", "=", id)
    .where("parent_id", "is", null)
    .orderBy("created_at")
    .limit(1)
    .executeTakeFirst();
  return found?.plain_text;
}

/** SQL: whether the thread in `column` is not temporary. Reads of a whole app see only these. */
export function isLastingThread(column: string): RawBuilder<boolean> {
  const thread = sql.ref(column);
  return sql<boolean>`(${thread} is null
    or ${thread} not in (select id from threads where temporary_until is not null))`;
}
