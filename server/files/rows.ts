import { randomCharacters } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate, idsOf } from "#storage/database/portable-sql.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";
import type { Visitor } from "../lib/route.ts";

/** The SQL of files and blobs. Only this folder writes these tables. */

export type FileRow = Row<"files">;
export type BlobRow = Row<"blobs">;

/** A file whose bytes are stored. */
export type StoredFile = FileRow & {
  type: string;
  size_bytes: number;
  blob_key: string;
} & Pick<BlobRow, "sha256" | "thumbnail_key">;

/** A new file without bytes, with a new secret. */
export function pendingFile(
  owner: Pick<Visitor, "appId" | "workspaceId" | "userId">,
  file: {
    id: string;
    name: string;
    declaredType?: string | undefined;
    declaredBytes?: number | undefined;
    nowMs: number;
    releasedAt?: number | undefined;
  },
): FileRow {
  return {
    id: file.id,
    app_id: owner.appId,
    workspace_id: owner.workspaceId,
    created_by: owner.userId,
    name: cleanText(file.name),
    secret: randomCharacters(26),
    declared_type: file.declaredType === undefined ? null : cleanText(file.declaredType),
    declared_bytes: file.declaredBytes ?? null,
    type: null,
    size_bytes: null,
    blob_key: null,
    created_at: file.nowMs,
    stored_at: null,
    claimed_at: null,
    released_at: file.releasedAt ?? null,
  };
}

/** The `released_at` of an unsent file for a temporary thread (`isUnsentTemporary`) whose page shows it now. */
export function releasedAtOfTemporary(createdAt: number, nowMs: number): number {
  return Math.min(nowMs - limits.unusedFileMs + limits.temporaryOpenMs, createdAt - 1);
}

export async function insertFile(tx: Tx, file: NewRow<"files">): Promise<void> {
  await tx.q.insertInto("files").values(file).execute();
}

export async function findFile(q: Kysely<Tables>, id: string): Promise<FileRow | undefined> {
  return await q.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirst();
}

/** `undefined`: there is no such file, or its bytes are not stored yet. */
export async function findStoredFile(q: Kysely<Tables>, id: string): Promise<StoredFile | undefined> {
  return (await selectStoredFiles(q).where("files.id", "=", id).executeTakeFirst()) as StoredFile | undefined;
}

export function selectStoredFiles(q: Kysely<Tables>) {
  return q
    .selectFrom("files")
    .innerJoin("blobs", "blobs.key", "files.blob_key")
    .selectAll("files")
    .select(["blobs.sha256", "blobs.thumbnail_key"]);
}

export async function findStoredFiles(
  from: Pick<Tx, "engine" | "q">,
  ids: readonly string[],
): Promise<StoredFile[]> {
  if (ids.length === 0) return [];
  const found = await selectStoredFiles(from.q).where("files.id", "in", idsOf(from, ids)).execute();
  return found as StoredFile[];
}

export async function lockFile(tx: Tx, id: string): Promise<FileRow | undefined> {
  const query = tx.q.selectFrom("files").selectAll().where("id", "=", id);
  return await forUpdate(tx, query).executeTakeFirst();
}

export async function updateFile(tx: Tx, id: string, change: RowChange<"files">): Promise<void> {
  await tx.q.updateTable("files").set(change).where("id", "=", id).execute();
}

/** Serializes the uploads of a workspace while they look for a blob with the same bytes. */
export async function lockWorkspace(tx: Tx, workspaceId: string): Promise<void> {
  const query = tx.q.selectFrom("workspaces").select("id").where("id", "=", workspaceId);
  await forUpdate(tx, query).execute();
}

/** The number of a person's pending files created after `since`. */
export async function countPending(
  q: Kysely<Tables>,
  owner: Pick<FileRow, "app_id" | "created_by">,
  since: number,
): Promise<number> {
  const row = await q
    .selectFrom("files")
    .select((is) => is.fn.countAll<number | string>().as("count"))
    .where("app_id", "=", owner.app_id)
    .where("created_by", "=", owner.created_by)
    .where("blob_key", "is", null)
    .where("created_at", ">", since)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function findBlob(q: Kysely<Tables>, key: string): Promise<BlobRow | undefined> {
  return await q.selectFrom("blobs").selectAll().where("key", "=", key).executeTakeFirst();
}

/** A blob of the workspace with the same bytes. */
export async function findSameBytes(
  q: Kysely<Tables>,
  workspaceId: string,
  sha256: string,
  sizeBytes: number,
): Promise<BlobRow | undefined> {
  return await sameBytes(q, workspaceId, sha256, sizeBytes).executeTakeFirst();
}

/** Like `findSameBytes`, locked until the transaction ends. */
export async function lockSameBytes(
  tx: Tx,
  workspaceId: string,
  sha256: string,
  sizeBytes: number,
): Promise<BlobRow | undefined> {
  return await forUpdate(tx, sameBytes(tx.q, workspaceId, sha256, sizeBytes)).executeTakeFirst();
}

function sameBytes(q: Kysely<Tables>, workspaceId: string, sha256: string, sizeBytes: number) {
  return q
    .selectFrom("blobs")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where("sha256", "=", sha256)
    .where("size_bytes", "=", sizeBytes)
    .limit(1);
}

export async function insertBlob(tx: Tx, blob: NewRow<"blobs">): Promise<void> {
  await tx.q.insertInto("blobs").values(blob).execute();
}

export async function scheduleRemoval(tx: Tx, key: string, dueAt: number): Promise<void> {
  await tx.q
    .insertInto("blob_removals")
    .values({ key, due_at: dueAt })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ due_at: dueAt }))
    .execute();
}

export async function cancelRemovals(tx: Tx, keys: string[]): Promise<void> {
  if (keys.length > 0) await tx.q.deleteFrom("blob_removals").where("key", "in", keys).execute();
}

/** Keys whose removal is due and that no blob has, at most `limit`. */
export async function dueRemovals(db: Database, nowMs: number, limit: number): Promise<string[]> {
  const rows = await db.read
    .selectFrom("blob_removals")
    .select("key")
    .where("due_at", "<=", nowMs)
    .where("key", "not in", (is) => is.selectFrom("blobs").select("key"))
    .orderBy("due_at")
    .limit(limit)
    .execute();
  return rows.map(({ key }) => key);
}

export async function isRemovalScheduled(q: Kysely<Tables>, key: string): Promise<boolean> {
  const row = await q.selectFrom("blob_removals").select("key").where("key", "=", key).executeTakeFirst();
  return row !== undefined;
}

export async function deleteFile(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("files").where("id", "=", id).execute();
}

export async function lockBlob(tx: Tx, key: string): Promise<BlobRow | undefined> {
  const query = tx.q.selectFrom("blobs").selectAll().where("key", "=", key);
  return await forUpdate(tx, query).executeTakeFirst();
}

export async function isInUse(tx: Tx, key: string): Promise<boolean> {
  const file = await tx.q
    .selectFrom("files")
    .select("id")
    .where("blob_key", "=", key)
    .limit(1)
    .executeTakeFirst();
  return file !== undefined;
}

/** `key` is empty if no thumbnail can be made. */
export async function setThumbnail(tx: Tx, blobKey: string, key: string): Promise<void> {
  await tx.q.updateTable("blobs").set({ thumbnail_key: key }).where("key", "=", blobKey).execute();
}

/** Records that no thumbnail can be made, unless another process has made one. */
export async function setNoThumbnail(tx: Tx, blobKey: string): Promise<void> {
  await tx.q
    .updateTable("blobs")
    .set({ thumbnail_key: "" })
    .where("key", "=", blobKey)
    .where("thumbnail_key", "is", null)
    .execute();
}

export async function deleteBlob(tx: Tx, key: string): Promise<void> {
  await tx.q.deleteFrom("blobs").where("key", "=", key).execute();
}

/**
 * Files that no message references, at most `limit`, by id: at once if the message was deleted; if no message ever
 * referenced them, or a message was changed, only since `before`. `among` restricts the search to these ids.
 */
export async function findUnreferenced(
  from: Pick<Tx, "engine" | "q">,
  before: number,
  limit: number,
  among?: readonly string[],
): Promise<Pick<FileRow, "id" | "blob_key" | "type" | "workspace_id" | "created_by">[]> {
  return await from.q
    .selectFrom("files")
    .select(["id", "blob_key", "type", "workspace_id", "created_by"])
    .$if(among !== undefined, (query) => query.where("id", "in", idsOf(from, among ?? [])))
    .where((is) =>
      is.or([
        is.and([is("claimed_at", "is", null), is("created_at", "<", before)]),
        is.and([is("claimed_at", "is not", null), is("released_at", "is", null)]),
        is("released_at", "<", before),
      ]),
    )
    .where((is) =>
      is.not(is.exists(is.selectFrom("file_claims").select("file_id").whereRef("file_id", "=", "files.id"))),
    )
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Locks the files that still exist, by id, until the transaction ends. */
export async function lockFiles(tx: Tx, ids: string[]): Promise<void> {
  const query = tx.q.selectFrom("files").select("id").where("id", "in", idsOf(tx, ids)).orderBy("id");
  await forUpdate(tx, query).execute();
}

/** Locks a person's files in an app, and all files of these workspaces. */
export async function lockFilesOfPerson(
  tx: Tx,
  who: { appId: string; userId: string },
  workspaceIds: string[],
): Promise<Pick<FileRow, "id" | "blob_key" | "type">[]> {
  const query = tx.q
    .selectFrom("files")
    .select(["id", "blob_key", "type"])
    .where((is) =>
      is.or([
        is.and([is("app_id", "=", who.appId), is("created_by", "=", who.userId)]),
        is("workspace_id", "in", idsOf(tx, workspaceIds)),
      ]),
    )
    .orderBy("id");
  return await forUpdate(tx, query).execute();
}

/** Deletes the references in all messages that a person wrote in an app. */
export async function deleteFileReferencesOfAuthor(
  tx: Tx,
  who: { appId: string; userId: string },
): Promise<void> {
  const threads = tx.q.selectFrom("threads").select("id").where("app_id", "=", who.appId);
  await tx.q
    .deleteFrom("file_claims")
    .where("thread_id", "in", threads)
    .where("message_id", "in", (is) =>
      is.selectFrom("messages").select("id").where("created_by", "=", who.userId),
    )
    .execute();
}
