import type { Tx } from "#storage/database/database.ts";
import { forUpdateSkipLocked } from "#storage/database/portable-sql.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, Tables } from "#storage/database/tables.ts";

/** The SQL of the text that files hold, and of what is still to be read: tables that only this room and triggers write. */

export type FileTextRow = Row<"file_texts">;

export async function findText(q: Kysely<Tables>, blobKey: string): Promise<FileTextRow | undefined> {
  return await q.selectFrom("file_texts").selectAll().where("blob_key", "=", blobKey).executeTakeFirst();
}

/** What another process may have written meanwhile is the same. Nothing happens where the blob has gone. */
export async function keepText(tx: Tx, text: NewRow<"file_texts">): Promise<void> {
  const blob = await tx.q
    .selectFrom("blobs")
    .select("key")
    .where("key", "=", text.blob_key)
    .executeTakeFirst();
  if (blob === undefined) return;
  const { blob_key: _, ...rest } = text;
  await tx.q
    .insertInto("file_texts")
    .values(text)
    .onConflict((conflict) => conflict.column("blob_key").doUpdateSet(rest))
    .execute();
}

export async function isAnyUnread(q: Kysely<Tables>, nowMs: number): Promise<boolean> {
  const due = q.selectFrom("unread_files").select("file_id").where("due_at", "<=", nowMs).limit(1);
  return (await due.executeTakeFirst()) !== undefined;
}

export type Unread = { fileId: string; workspaceId: string; tries: number };

/** Takes what is due the longest, the newest first, for as long as `untilMs`. */
export async function takeUnread(tx: Tx, nowMs: number, untilMs: number): Promise<Unread | undefined> {
  const due = tx.q
    .selectFrom("unread_files")
    .select(["file_id as fileId", "tries"])
    .where("due_at", "<=", nowMs)
    .orderBy("due_at")
    .orderBy("file_id", "desc")
    .limit(1);
  const next = await forUpdateSkipLocked(tx, due).executeTakeFirst();
  if (next === undefined) return undefined;
  const { fileId, tries } = next;
  await tx.q
    .updateTable("unread_files")
    .set({ due_at: untilMs, tries: tries + 1 })
    .where("file_id", "=", fileId)
    .execute();
  const { workspaceId } = await tx.q
    .selectFrom("files")
    .select("workspace_id as workspaceId")
    .where("id", "=", fileId)
    .executeTakeFirstOrThrow();
  return { fileId, workspaceId, tries };
}

export async function putOff(
  tx: Tx,
  fileId: string,
  change: { dueAt: number; tries: number },
): Promise<void> {
  await tx.q
    .updateTable("unread_files")
    .set({ due_at: change.dueAt, tries: change.tries })
    .where("file_id", "=", fileId)
    .execute();
}

export async function forgetUnread(tx: Tx, fileId: string): Promise<void> {
  await tx.q.deleteFrom("unread_files").where("file_id", "=", fileId).execute();
}
