import type { Database, Tx } from "#storage/database/database.ts";
import type { StoredStep } from "./loop/answer-state.ts";

/** The SQL of the steps of replies that have data of their provider: a table that only this module writes. */

export async function listReplySteps(db: Pick<Database, "read">, messageId: string): Promise<StoredStep[]> {
  const found = await db.read
    .selectFrom("reply_steps")
    .select(["first_call", "parts"])
    .where("message_id", "=", messageId)
    .orderBy("first_call")
    .execute();
  return found.map(({ first_call: firstCall, parts }) => ({
    firstCall,
    parts: JSON.parse(parts) as StoredStep["parts"],
  }));
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
