import type { Database, Tx } from "#storage/database/database.ts";
import { packContent, unpackRow } from "#storage/lib/packed-content.ts";
import { jsonElements, idsOf } from "#storage/database/portable-sql.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";

/** The SQL of messages and of each user's visible branch: tables that only this module writes. */

export type MessageRow = Row<"messages">;

export async function findMessage(
  q: Kysely<Tables>,
  threadId: string,
  id: string,
): Promise<MessageRow | undefined> {
  const row = await q
    .selectFrom("messages")
    .selectAll()
    .where("id", "=", id)
    .where("thread_id", "=", threadId)
    .executeTakeFirst();
  return row && unpackRow(row);
}

/** Those of `ids` that are in the thread, by id. Read in the read worker, because they may be large. */
export async function findMessages(
  db: Database,
  threadId: string,
  ids: string[],
): Promise<Map<string, MessageRow>> {
  const found = await db.readWorker
    .selectFrom("messages")
    .selectAll()
    .where("thread_id", "=", threadId)
    .where("id", "in", idsOf(db, ids))
    .execute();
  return new Map(found.map((row) => [row.id, unpackRow(row)]));
}

/** A message of any thread. */
export async function findMessageAnywhere(tx: Tx, id: string): Promise<MessageRow | undefined> {
  const row = await tx.q.selectFrom("messages").selectAll().where("id", "=", id).executeTakeFirst();
  return row && unpackRow(row);
}

export async function findByExternalId(
  q: Kysely<Tables>,
  threadId: string,
  externalId: string,
): Promise<MessageRow | undefined> {
  const row = await q
    .selectFrom("messages")
    .selectAll()
    .where("thread_id", "=", threadId)
    .where("external_id", "=", externalId)
    .executeTakeFirst();
  return row && unpackRow(row);
}

export async function setPinned(tx: Tx, id: string, isPinned: boolean): Promise<void> {
  await tx.q
    .updateTable("messages")
    .set({ is_pinned: isPinned ? 1 : 0 })
    .where("id", "=", id)
    .execute();
}

export async function insertMessage(tx: Tx, message: NewRow<"messages">): Promise<void> {
  await tx.q.insertInto("messages").values(packed(tx, message)).execute();
}

/** Inserts messages with one statement, whose text does not depend on their number. A parent may be among them. */
export async function insertMessages(tx: Tx, messages: MessageRow[]): Promise<void> {
  const rows = messages.map((row) => packed(tx, row)).map((row) => columns.map((column) => row[column]));
  const values = columns.map((column, at) =>
    numbers.has(column) ? sql`cast(value->>${sql.lit(at)} as bigint)` : sql`value->>${sql.lit(at)}`,
  );
  await sql`insert into messages (${sql.join(columns.map((column) => sql.ref(column)))})
    select ${sql.join(values)} from ${jsonElements(tx, rows)}`.execute(tx.q);
}

/**
 * PostgreSQL stores both until no server of the previous version can run beside this one: such a server cannot read
 * packed content.
 */
function packed<Message extends TextChange>(tx: Tx, message: Message): Message {
  if (tx.engine === "postgres") return message;
  return { ...message, content: packContent(message.content, message.plain_text) };
}

const columns = [
  "id",
  "thread_id",
  "external_id",
  "parent_id",
  "height",
  "role",
  "format",
  "content",
  "plain_text",
  "status",
  "status_reason",
  "error_code",
  "run_id",
  "made_by",
  "created_by",
  "is_pinned",
  "created_at",
  "updated_at",
] as const satisfies (keyof MessageRow)[];
const numbers = new Set<string>(["height", "is_pinned", "created_at", "updated_at"]);

/** The ids and external ids of a thread's messages. */
export async function listIds(
  db: Database,
  threadId: string,
): Promise<Pick<MessageRow, "id" | "external_id">[]> {
  return await db.readWorker
    .selectFrom("messages")
    .select(["id", "external_id"])
    .where("thread_id", "=", threadId)
    .execute();
}

/** The heights of those of `ids` that are in the thread, by id. */
export async function findHeights(tx: Tx, threadId: string, ids: string[]): Promise<Map<string, number>> {
  const found = await tx.q
    .selectFrom("messages")
    .select(["id", "height"])
    .where("thread_id", "=", threadId)
    .where("id", "in", idsOf(tx, ids))
    .execute();
  return new Map(found.map(({ id, height }) => [id, height]));
}

/** Those of `ids` that messages of any thread have. */
export async function findTakenIds(db: Database, ids: string[]): Promise<string[]> {
  const found = await db.read.selectFrom("messages").select("id").where("id", "in", idsOf(db, ids)).execute();
  return found.map(({ id }) => id);
}

export type TextChange = { content: string; plain_text: string };
export type MessageChange = Omit<RowChange<"messages">, keyof TextChange>;

export async function updateMessage(
  tx: Tx,
  id: string,
  change: MessageChange & (TextChange | { content?: undefined }),
): Promise<void> {
  const fields = change.content === undefined ? change : packed(tx, change);
  await tx.q.updateTable("messages").set(fields).where("id", "=", id).execute();
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

export async function saveHead(tx: Tx, head: NewRow<"branch_heads">): Promise<void> {
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

export type Head = Pick<Row<"branch_heads">, "user_id" | "message_id">;

/** The users whose stored head is one of these messages. */
export async function findHeadsAt(tx: Tx, threadId: string, messageIds: string[]): Promise<Head[]> {
  return await tx.q
    .selectFrom("branch_heads")
    .select(["user_id", "message_id"])
    .where("thread_id", "=", threadId)
    .where("message_id", "in", idsOf(tx, messageIds))
    .orderBy("user_id")
    .execute();
}

/** Those of `ids` that are in the thread, and all their descendants, parents first. */
export async function findSubtree(
  tx: Tx,
  threadId: string,
  ids: string[],
): Promise<Pick<MessageRow, "id" | "parent_id" | "height" | "created_at">[]> {
  return await tx.q
    .withRecursive("down", (with_) =>
      with_
        .selectFrom("messages")
        .select(["thread_id", "id", "parent_id", "height", "created_at"])
        .where("thread_id", "=", threadId)
        .where("id", "in", idsOf(tx, ids))
        // Not `union all`, because one of them may be a descendant of another.
        .union(
          with_
            .selectFrom("down")
            // A cross join for the same reason as in `findLeafBelow`.
            .crossJoin("messages")
            .whereRef("messages.thread_id", "=", "down.thread_id")
            .whereRef("messages.parent_id", "=", "down.id")
            .select([
              "messages.thread_id",
              "messages.id",
              "messages.parent_id",
              "messages.height",
              "messages.created_at",
            ]),
        ),
    )
    .selectFrom("down")
    .select(["id", "parent_id", "height", "created_at"])
    .orderBy("height")
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** Sets the parent and height of these messages. */
export async function updateTreePositions(
  tx: Tx,
  threadId: string,
  moved: { id: string; parentId: string | null; height: number }[],
): Promise<void> {
  if (moved.length === 0) return;
  const list = moved.map(({ id, parentId, height }) => [id, parentId, height]);
  // Materialized, because otherwise SQLite reads the whole list for every message of the thread.
  await sql`
    with moved as materialized (
      select value->>0 as id, value->>1 as parent_id, cast(value->>2 as integer) as height from ${jsonElements(tx, list)}
    )
    update messages set parent_id = moved.parent_id, height = moved.height from moved
    where messages.thread_id = ${threadId} and messages.id = moved.id
  `.execute(tx.q);
}

/** Deletes these messages, and the heads that point to them. No other message may be below them. */
export async function deleteMessages(tx: Tx, threadId: string, ids: string[]): Promise<void> {
  await tx.q
    .deleteFrom("messages")
    .where("thread_id", "=", threadId)
    .where("id", "in", idsOf(tx, ids))
    .execute();
}

/** Records the list positions of messages that are about to be deleted, because cursors may name them. */
export async function recordDeleted(tx: Tx, threadId: string, ids: string[], nowMs: number): Promise<void> {
  await tx.q
    .insertInto("gone_messages")
    .columns(["thread_id", "id", "height", "created_at", "gone_at"])
    .expression((from) =>
      from
        .selectFrom("messages")
        .select((is) => [
          "thread_id",
          "id",
          "height",
          "created_at",
          is.cast<number>(is.val(nowMs), "bigint").as("gone_at"),
        ])
        .where("thread_id", "=", threadId)
        .where("id", "in", idsOf(tx, ids)),
    )
    // A client that chooses its own ids can store and delete the same id several times.
    .onConflict((conflict) =>
      conflict.columns(["thread_id", "id"]).doUpdateSet((row) => ({
        height: row.ref("excluded.height"),
        created_at: row.ref("excluded.created_at"),
        gone_at: row.ref("excluded.gone_at"),
      })),
    )
    .execute();
}

export async function pruneDeleted(tx: Tx, goneBefore: number): Promise<void> {
  await tx.q.deleteFrom("gone_messages").where("gone_at", "<", goneBefore).execute();
}

/**
 * Empties what this person wrote in threads that are kept. The messages stay, with empty content that is valid in their
 * format, because other messages are below them.
 */
export async function redactMessages(tx: Tx, appId: string, userId: string, marker: string): Promise<void> {
  const threads = tx.q.selectFrom("threads").select("id").where("app_id", "=", appId);
  const empty = sql<string>`case
    when format = 'aui/v0' then ${'{"role":"'} || role || ${'","content":[],"metadata":{"custom":{}}}'}
    when format in ('ai-sdk/v5', 'ai-sdk/v6') then ${'{"role":"'} || role || ${'","parts":[]}'}
    else '{}'
  end`;
  await tx.q
    .updateTable("messages")
    .set({ content: empty, plain_text: "", external_id: null, made_by: null, created_by: marker })
    .where("created_by", "=", userId)
    .where("thread_id", "in", threads)
    .execute();
  await tx.q
    .deleteFrom("branch_heads")
    .where("user_id", "=", userId)
    .where("thread_id", "in", threads)
    .execute();
}

/** Gives the messages and heads of `from` in these threads to `to`. */
export async function reassignMessages(tx: Tx, threadIds: string[], from: string, to: string): Promise<void> {
  const ids = idsOf(tx, threadIds);
  await tx.q
    .updateTable("messages")
    .set({ created_by: to })
    .where("created_by", "=", from)
    .where("thread_id", "in", ids)
    .execute();
  await tx.q
    .updateTable("branch_heads")
    .set({ user_id: to })
    .where("user_id", "=", from)
    .where("thread_id", "in", ids)
    .execute();
}
