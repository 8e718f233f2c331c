import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate, idsOf } from "#storage/database/portable-sql.ts";
import { sql } from "#storage/database/sql.ts";
import type { FileRow } from "./rows.ts";

/** The SQL of which messages reference which files. */

/**
 * Locks those of `ids` that are in the workspace, so that no sweep deletes them before the transaction ends. In a shared
 * thread, only those that the writer uploaded or that the thread has already: naming a file gives no access to it.
 */
export async function lockFilesOfWorkspace(
  tx: Tx,
  { workspaceId, threadId, userId }: { workspaceId: string; threadId: string; userId?: string | undefined },
  ids: string[],
): Promise<Pick<FileRow, "id" | "secret" | "workspace_id" | "created_by">[]> {
  const query = tx.q
    .selectFrom("files")
    .select(["id", "secret", "workspace_id", "created_by"])
    .where("id", "in", idsOf(tx, ids))
    // An expression, so that SQLite does not use the workspace's index and read all of its files.
    .where(sql`workspace_id || ''`, "=", workspaceId)
    .where(
      sql<boolean>`(
        not exists (select 1 from thread_members where thread_members.thread_id = ${threadId})
        or files.created_by = ${userId ?? null}
        or exists (
          select 1 from file_claims where file_claims.file_id = files.id and file_claims.thread_id = ${threadId}
        )
      )`,
    )
    .orderBy("id");
  return await forUpdate(tx, query).execute();
}

export type FileReferenceRow = { file_id: string; message_id: string; thread_id: string };

/** Rows per statement. Each has three values, and engines limit the values. */
const batchSize = 1_000;

export async function insertFileReferences(
  tx: Tx,
  references: FileReferenceRow[],
  nowMs: number,
): Promise<void> {
  for (let from = 0; from < references.length; from += batchSize)
    await tx.q
      .insertInto("file_claims")
      .values(references.slice(from, from + batchSize))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const fileIds = [...new Set(references.map((reference) => reference.file_id))];
  await tx.q
    .updateTable("files")
    .set({ claimed_at: nowMs, released_at: null })
    .where("id", "in", idsOf(tx, fileIds))
    .execute();
}

/** The files that these messages reference. All of them are files of the messages' own workspace. */
export async function filesReferencedBy(
  from: Pick<Tx, "engine" | "q">,
  messageIds: readonly string[],
): Promise<Set<string>> {
  const found = await from.q
    .selectFrom("file_claims")
    .select("file_id")
    .distinct()
    .where("message_id", "in", idsOf(from, messageIds))
    .execute();
  return new Set(found.map((row) => row.file_id));
}

/** The files that each of these messages references, sorted. Messages without files are left out. */
export async function filesByMessage(
  from: Pick<Tx, "engine" | "q">,
  messageIds: readonly string[],
): Promise<Map<string, string[]>> {
  const found = await from.q
    .selectFrom("file_claims")
    .select(["message_id", "file_id"])
    .where("message_id", "in", idsOf(from, messageIds))
    .orderBy("file_id")
    .execute();
  const groups = Map.groupBy(found, (row) => row.message_id);
  return new Map([...groups].map(([id, rows]) => [id, rows.map((row) => row.file_id)]));
}

/** Locks the files that no other thread references. */
export async function lockFilesOnlyIn(
  tx: Tx,
  threadId: string,
): Promise<Pick<FileRow, "id" | "blob_key" | "type" | "workspace_id" | "created_by">[]> {
  const references = (of: "=" | "!=") =>
    tx.q.selectFrom("file_claims").select("file_id").where("thread_id", of, threadId);
  const query = tx.q
    .selectFrom("files")
    .select(["id", "blob_key", "type", "workspace_id", "created_by"])
    .where("id", "in", references("="))
    .where("id", "not in", references("!="))
    .orderBy("id");
  return await forUpdate(tx, query).execute();
}

/** The files that a thread's messages reference, without those of queued messages. */
export async function filesOfThread(db: Database, threadId: string): Promise<string[]> {
  const found = await db.readWorker
    .selectFrom("file_claims")
    .innerJoin("messages", "messages.id", "file_claims.message_id")
    .select("file_claims.file_id")
    .distinct()
    .where("file_claims.thread_id", "=", threadId)
    .orderBy("file_claims.file_id")
    .execute();
  return found.map((row) => row.file_id);
}

/** Deletes a message's references to files other than these. */
export async function deleteOtherFileReferences(
  tx: Tx,
  messageId: string,
  fileIds: string[],
  nowMs: number,
): Promise<void> {
  const gone = await tx.q
    .deleteFrom("file_claims")
    .where("message_id", "=", messageId)
    .where("file_id", "not in", idsOf(tx, fileIds))
    .returning("file_id")
    .execute();
  if (gone.length === 0) return;
  await tx.q
    .updateTable("files")
    .set({ released_at: nowMs })
    .where(
      "id",
      "in",
      idsOf(
        tx,
        gone.map((row) => row.file_id),
      ),
    )
    .execute();
}

/** Locks the files of a workspace, then both workspaces. Imports lock in the same order. */
export async function lockForMove(tx: Tx, from: string, to: string): Promise<void> {
  const files = tx.q.selectFrom("files").select("id").where("workspace_id", "=", from).orderBy("id");
  await forUpdate(tx, files).execute();
  const workspaces = tx.q.selectFrom("workspaces").select("id").where("id", "in", [from, to]).orderBy("id");
  await forUpdate(tx, workspaces).execute();
}

/** The blobs of workspace `from` whose bytes `to` has too, under `toKey`. */
export async function blobsInBoth(
  tx: Tx,
  from: string,
  to: string,
): Promise<{ key: string; thumbnail_key: string | null; toKey: string }[]> {
  return await tx.q
    .selectFrom("blobs as ours")
    .innerJoin("blobs as theirs", (join) =>
      join
        .onRef("theirs.sha256", "=", "ours.sha256")
        .onRef("theirs.size_bytes", "=", "ours.size_bytes")
        .on("theirs.workspace_id", "=", to),
    )
    .select((is) => ["ours.key", "ours.thumbnail_key", is.fn.min("theirs.key").as("toKey")])
    .where("ours.workspace_id", "=", from)
    .groupBy(["ours.key", "ours.thumbnail_key"])
    .orderBy("ours.key")
    .execute();
}

/** Moves all files of one blob to another blob. */
export async function replaceBlob(tx: Tx, from: string, to: string): Promise<void> {
  await tx.q.updateTable("files").set({ blob_key: to }).where("blob_key", "=", from).execute();
}

/** Moves the files of one workspace to another person and workspace. Returns how many. */
export async function moveRows(
  tx: Tx,
  from: { workspaceId: string; userId: string },
  to: { workspaceId: string; userId: string },
): Promise<number> {
  const moved = await tx.q
    .updateTable("files")
    .set({ workspace_id: to.workspaceId, created_by: to.userId })
    .where("workspace_id", "=", from.workspaceId)
    .executeTakeFirst();
  await tx.q
    .updateTable("blobs")
    .set({ workspace_id: to.workspaceId })
    .where("workspace_id", "=", from.workspaceId)
    .execute();
  return Number(moved.numUpdatedRows);
}
