import type { Database, Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import type { Erased } from "#server/threads/erase.ts";
import type { StoredStep } from "./loop/answer-state.ts";

/** The SQL of the steps of replies that have data of their provider: a table that only this module writes. */

/** The steps of these messages, by the message's id. */
export async function listReplySteps(
  db: Pick<Database, "read" | "engine">,
  messageIds: readonly string[],
): Promise<Map<string, StoredStep[]>> {
  const steps = new Map<string, StoredStep[]>();
  if (messageIds.length === 0) return steps;
  const found = await db.read
    .selectFrom("reply_steps")
    .select(["message_id", "first_call", "parts"])
    .where("message_id", "in", idsOf(db, messageIds))
    .orderBy("message_id")
    .orderBy("first_call")
    .execute();
  for (const { message_id: id, first_call: firstCall, parts } of found) {
    const step = { firstCall, parts: JSON.parse(parts) as StoredStep["parts"] };
    steps.set(id, [...(steps.get(id) ?? []), step]);
  }
  return steps;
}

/** Stores a step in place of an earlier one. Does nothing if the message was deleted. */
export async function putReplyStep(
  tx: Tx,
  messageId: string,
  { firstCall, parts }: StoredStep,
): Promise<void> {
  const message = await tx.q
    .selectFrom("messages")
    .select("id")
    .where("id", "=", messageId)
    .executeTakeFirst();
  if (message === undefined) return;
  await tx.q
    .insertInto("reply_steps")
    .values({ message_id: messageId, first_call: firstCall, parts: JSON.stringify(parts) })
    .onConflict((row) =>
      row.columns(["message_id", "first_call"]).doUpdateSet({ parts: JSON.stringify(parts) }),
    )
    .execute();
}

/** In the transaction of an erasure, before messages are emptied: deletes the steps of the answers to this person. */
export async function eraseReplySteps(tx: Tx, { appId, userId }: Erased): Promise<void> {
  const messages = tx.q
    .selectFrom("messages")
    .innerJoin("threads", "threads.id", "messages.thread_id")
    .select("messages.id")
    .where("threads.app_id", "=", appId)
    .where("messages.created_by", "=", userId);
  await tx.q.deleteFrom("reply_steps").where("message_id", "in", messages).execute();
}
