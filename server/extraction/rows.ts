import type { Tx } from "#storage/database/database.ts";
import { forUpdateSkipLocked } from "#storage/database/portable-sql.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, Tables } from "#storage/database/tables.ts";

/** The SQL of extracted texts and of the extraction queue. Only this folder and triggers write these tables. */

export type FileTextRow = Row<"file_texts">;

export async function findText(q: Kysely<Tables>, blobKey: string): Promise<FileTextRow | undefined> {
  return await q.selectFrom("file_texts").selectAll().where("blob_key", "=", blobKey).executeTakeFirst();
}

/** Replaces an older text. Does nothing if the blob is gone. */
export async function saveText(tx: Tx, text: NewRow<"file_texts">): Promise<void> {
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

export async function hasDueFile(q: Kysely<Tables>, nowMs: number): Promise<boolean> {
  const due = q.selectFrom("unread_files").select("file_id").where("due_at", "<=", nowMs).limit(1);
  return (await due.executeTakeFirst()) !== undefined;
}

export type QueuedFile = { fileId: string; workspaceId: string; tries: number };

/** Leases the file that has been due the longest, until `untilMs`. */
export async function leaseNextFile(tx: Tx, nowMs: number, untilMs: number): Promise<QueuedFile | undefined> {
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

export async function reschedule(
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

export async function removeFromQueue(tx: Tx, fileId: string): Promise<void> {
  await tx.q.deleteFrom("unread_files").where("file_id", "=", fileId).execute();
}
