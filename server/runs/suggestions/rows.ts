import type { Database, Tx } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import type { Erased } from "#server/threads/erase.ts";

/** The SQL of follow-up questions: a table that only this module writes. */

export type SuggestionsRow = Row<"suggestions">;

export async function findSuggestions(
  db: Pick<Database, "read">,
  messageId: string,
): Promise<SuggestionsRow | undefined> {
  return await db.read
    .selectFrom("suggestions")
    .selectAll()
    .where("message_id", "=", messageId)
    .executeTakeFirst();
}

/** Stores the questions after an answer. Those of an earlier run of the answer are replaced. */
export async function putSuggestions(tx: Tx, row: SuggestionsRow): Promise<void> {
  await tx.q
    .insertInto("suggestions")
    .values(row)
    .onConflict((conflict) => conflict.column("message_id").doUpdateSet(row))
    .execute();
}

/** In the transaction of an erasure, before messages are emptied: deletes those of all threads with messages of this person. */
export async function eraseSuggestions(tx: Tx, { appId, userId }: Erased): Promise<void> {
  const threads = tx.q
    .selectFrom("messages")
    .innerJoin("threads", "threads.id", "messages.thread_id")
    .select("threads.id")
    .where("threads.app_id", "=", appId)
    .where("messages.created_by", "=", userId);
  const messages = tx.q.selectFrom("messages").select("id").where("thread_id", "in", threads);
  await tx.q.deleteFrom("suggestions").where("message_id", "in", messages).execute();
}
