import type { Database, Tx } from "#storage/sql/database.ts";
import type { Kysely } from "#storage/sql/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/sql/tables.ts";

/** The SQL of messages and of the branch that is shown to each person: tables that only this room writes. */

export type MessageRow = Row<"messages">;

/** A page of a thread's messages: height, then time, then id, all descending, strictly after `after`. */
export async function listMessages(
  db: Database,
  threadId: string,
  after: MessageRow | undefined,
  limit: number,
): Promise<MessageRow[]> {
  let query = db.read
    .selectFrom("messages")
    .selectAll()
    .where("thread_id", "=", threadId)
    .orderBy("height", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit);
  if (after !== undefined) {
    query = query.where((is) =>
      is(is.refTuple("height", "created_at", "id"), "<", is.tuple(after.height, after.created_at, after.id)),
    );
  }
  return await query.execute();
}

export async function findMessage(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
): Promise<MessageRow | undefined> {
  return await q
    .selectFrom("messages")
    .selectAll()
    .where("id", "=", id)
    .where("thread_id", "=", threadId)
    .executeTakeFirst();
}

/** Whatever thread it is in. */
export async function findMessageAnywhere(tx: Tx, id: string): Promise<MessageRow | undefined> {
  return await tx.q.selectFrom("messages").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function findByExternalId(
  tx: Tx,
  threadId: string,
  externalId: string,
): Promise<MessageRow | undefined> {
  return await tx.q
    .selectFrom("messages")
    .selectAll()
    .where("thread_id", "=", threadId)
    .where("external_id", "=", externalId)
    .executeTakeFirst();
}

export async function insertMessage(tx: Tx, message: NewRow<"messages">): Promise<void> {
  await tx.q.insertInto("messages").values(message).execute();
}

export async function changeMessage(tx: Tx, id: string, change: RowChange<"messages">): Promise<void> {
  await tx.q.updateTable("messages").set(change).where("id", "=", id).execute();
}

/** From `id` up towards the root, lowest first: `limit` messages at the most, or all of them. */
export async function walkUp(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
  limit?: number,
): Promise<MessageRow[]> {
  return await q
    .withRecursive("up", (with_) =>
      with_
        .selectFrom("messages")
        .select(["id", "parent_id", (is) => is.lit(1).as("steps")])
        .where("id", "=", id)
        .where("thread_id", "=", threadId)
        .unionAll(
          with_
            .selectFrom("up")
            .innerJoin("messages", "messages.id", "up.parent_id")
            .select(["messages.id", "messages.parent_id", (is) => is("up.steps", "+", is.lit(1)).as("steps")])
            .$if(limit !== undefined, (query) => query.where("up.steps", "<", limit!)),
        ),
    )
    .selectFrom("up")
    .innerJoin("messages", "messages.id", "up.id")
    .selectAll("messages")
    .orderBy("messages.height", "desc")
    .execute();
}

/** The deepest, then newest message below `id`, or `id` itself where nothing hangs below it. */
export async function leafBelow(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
): Promise<string | undefined> {
  const row = await q
    .withRecursive("down", (with_) =>
      with_
        .selectFrom("messages")
        .select(["id", "height", "created_at"])
        .where("id", "=", id)
        .where("thread_id", "=", threadId)
        .unionAll(
          with_
            .selectFrom("down")
            .innerJoin("messages", "messages.parent_id", "down.id")
            .select(["messages.id", "messages.height", "messages.created_at"])
            .where("messages.thread_id", "=", threadId),
        ),
    )
    .selectFrom("down")
    .select("id")
    .orderBy("height", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** The deepest, then newest message of the whole thread: what protocol clients show. */
export async function deepestLeaf(q: Kysely<Tables>, threadId: string): Promise<string | undefined> {
  const row = await q
    .selectFrom("messages")
    .select("id")
    .where("thread_id", "=", threadId)
    .orderBy("height", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

export type Child = { id: string; parent_id: string | null };

/** The children of each of `parentIds` (null: the roots), oldest first. */
export async function childrenOf(
  q: Kysely<Tables>,
  threadId: string,
  parentIds: (string | null)[],
): Promise<Child[]> {
  const named = parentIds.filter((id) => id !== null);
  return await q
    .selectFrom("messages")
    .select(["id", "parent_id"])
    .where("thread_id", "=", threadId)
    .where((is) =>
      is.or([
        ...(named.length === 0 ? [] : [is("parent_id", "in", named)]),
        ...(named.length === parentIds.length ? [] : [is("parent_id", "is", null)]),
      ]),
    )
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

export async function findHead(
  q: Kysely<Tables>,
  threadId: string,
  userId: string,
): Promise<string | undefined> {
  const row = await q
    .selectFrom("branch_heads")
    .select("message_id")
    .where("thread_id", "=", threadId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.message_id;
}

export async function putHead(tx: Tx, head: NewRow<"branch_heads">): Promise<void> {
  await tx.q
    .insertInto("branch_heads")
    .values(head)
    .onConflict((conflict) =>
      conflict
        .columns(["thread_id", "user_id"])
        .doUpdateSet({ message_id: head.message_id, updated_at: head.updated_at }),
    )
    .execute();
}
