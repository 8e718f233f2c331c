import { randomCharacters } from "#contract/ids.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate, idsOf } from "#storage/database/portable-sql.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";
import type { Visitor } from "../lib/route.ts";

/** The SQL of files and of their bytes: tables that only this room writes. */

export type FileRow = Row<"files">;
export type BlobRow = Row<"blobs">;

/** A file with the blob that its bytes are in. */
export type StoredFile = FileRow & {
  type: string;
  size_bytes: number;
  blob_key: string;
} & Pick<BlobRow, "sha256" | "thumbnail_key">;

/** A file whose bytes are still to come, with a secret of its own. */
export function promisedFile(
  owner: Pick<Visitor, "projectId" | "workspaceId" | "userId">,
  told: {
    id: string;
    name: string;
    declaredType?: string | undefined;
    declaredBytes?: number | undefined;
    nowMs: number;
  },
): FileRow {
  return {
    id: told.id,
    project_id: owner.projectId,
    workspace_id: owner.workspaceId,
    created_by: owner.userId,
    name: cleanText(told.name),
    secret: randomCharacters(26),
    declared_type: told.declaredType === undefined ? null : cleanText(told.declaredType),
    declared_bytes: told.declaredBytes ?? null,
    type: null,
    size_bytes: null,
    blob_key: null,
    created_at: told.nowMs,
    stored_at: null,
    claimed_at: null,
    released_at: null,
  };
}

export async function insertFile(tx: Tx, file: NewRow<"files">): Promise<void> {
  await tx.q.insertInto("files").values(file).execute();
}

export async function findFile(q: Kysely<Tables>, id: string): Promise<FileRow | undefined> {
  return await q.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirst();
}

/** The file with its blob; `undefined` where it is not there or has no bytes yet. */
export async function findStored(q: Kysely<Tables>, id: string): Promise<StoredFile | undefined> {
  const row = await q
    .selectFrom("files")
    .innerJoin("blobs", "blobs.key", "files.blob_key")
    .selectAll("files")
    .select(["blobs.sha256", "blobs.thumbnail_key"])
    .where("files.id", "=", id)
    .executeTakeFirst();
  return row as StoredFile | undefined;
}

/** The same for several; those that are not there are left out. */
export async function findManyStored(
  from: Pick<Tx, "engine" | "q">,
  ids: readonly string[],
): Promise<StoredFile[]> {
  if (ids.length === 0) return [];
  const found = await from.q
    .selectFrom("files")
    .innerJoin("blobs", "blobs.key", "files.blob_key")
    .selectAll("files")
    .select(["blobs.sha256", "blobs.thumbnail_key"])
    .where("files.id", "in", idsOf(from, ids))
    .execute();
  return found as StoredFile[];
}

export async function holdFile(tx: Tx, id: string): Promise<FileRow | undefined> {
  const query = tx.q.selectFrom("files").selectAll().where("id", "=", id);
  return await forUpdate(tx, query).executeTakeFirst();
}

export async function changeFile(tx: Tx, id: string, change: RowChange<"files">): Promise<void> {
  await tx.q.updateTable("files").set(change).where("id", "=", id).execute();
}

/** One upload of a workspace at a time counts its person's storage and looks for its bytes. */
export async function holdWorkspace(tx: Tx, workspaceId: string): Promise<void> {
  const query = tx.q.selectFrom("workspaces").select("id").where("id", "=", workspaceId);
  await forUpdate(tx, query).execute();
}

/** What a person's files have together, in all workspaces of the project, and how many there are, promised ones too. */
export async function used(
  q: Kysely<Tables>,
  projectId: string,
  userId: string,
): Promise<{ bytes: number; files: number }> {
  const row = await q
    .selectFrom("files")
    .select((is) => [
      is.fn.coalesce(is.fn.sum<number | string>("size_bytes"), is.lit(0)).as("bytes"),
      is.fn.countAll<number | string>().as("files"),
    ])
    .where("project_id", "=", projectId)
    .where("created_by", "=", userId)
    .executeTakeFirstOrThrow();
  return { bytes: Number(row.bytes), files: Number(row.files) };
}

/** How many files this person was promised after `since` that have not come. */
export async function countPromised(
  q: Kysely<Tables>,
  owner: Pick<FileRow, "project_id" | "created_by">,
  since: number,
): Promise<number> {
  const row = await q
    .selectFrom("files")
    .select((is) => is.fn.countAll<number | string>().as("count"))
    .where("project_id", "=", owner.project_id)
    .where("created_by", "=", owner.created_by)
    .where("blob_key", "is", null)
    .where("created_at", ">", since)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function findBlob(q: Kysely<Tables>, key: string): Promise<BlobRow | undefined> {
  return await q.selectFrom("blobs").selectAll().where("key", "=", key).executeTakeFirst();
}

/** The same bytes of the same workspace. */
export async function findSameBytes(
  q: Kysely<Tables>,
  workspaceId: string,
  sha256: string,
  sizeBytes: number,
): Promise<BlobRow | undefined> {
  return await sameBytes(q, workspaceId, sha256, sizeBytes).executeTakeFirst();
}

/** The same, held until the transaction ends. */
export async function holdSameBytes(
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

export async function noteRemoval(tx: Tx, key: string, dueAt: number): Promise<void> {
  await tx.q
    .insertInto("blob_removals")
    .values({ key, due_at: dueAt })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ due_at: dueAt }))
    .execute();
}

export async function forgetRemovals(tx: Tx, keys: string[]): Promise<void> {
  if (keys.length > 0) await tx.q.deleteFrom("blob_removals").where("key", "in", keys).execute();
}

/** Keys that are to be cleared away by now and that no blob has, at most `limit`. */
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

export async function isRemovalNoted(q: Kysely<Tables>, key: string): Promise<boolean> {
  const row = await q.selectFrom("blob_removals").select("key").where("key", "=", key).executeTakeFirst();
  return row !== undefined;
}

export async function deleteFile(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("files").where("id", "=", id).execute();
}

export async function holdBlob(tx: Tx, key: string): Promise<BlobRow | undefined> {
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

/** What there is of these bytes as a small picture: a key, or empty where none can be made. */
export async function changeThumbnail(tx: Tx, blobKey: string, key: string): Promise<void> {
  await tx.q.updateTable("blobs").set({ thumbnail_key: key }).where("key", "=", blobKey).execute();
}

/** None can be made; one that another process made meanwhile stays. */
export async function noteNoThumbnail(tx: Tx, blobKey: string): Promise<void> {
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
 * Files that nothing speaks of: for good, where the message that did is gone; since `before`, where none ever did or one
 * stopped. At most `limit`, in the order of their ids; of `among` alone where that is given.
 */
export async function unclaimed(
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

/** Those that are still there, in the order of their ids, held until the transaction ends. */
export async function holdAll(tx: Tx, ids: string[]): Promise<void> {
  const query = tx.q.selectFrom("files").select("id").where("id", "in", idsOf(tx, ids)).orderBy("id");
  await forUpdate(tx, query).execute();
}

/** What a person of a project has, and all that is in these workspaces. */
export async function holdOfPerson(
  tx: Tx,
  who: { projectId: string; userId: string },
  workspaceIds: string[],
): Promise<Pick<FileRow, "id" | "blob_key" | "type">[]> {
  const query = tx.q
    .selectFrom("files")
    .select(["id", "blob_key", "type"])
    .where((is) =>
      is.or([
        is.and([is("project_id", "=", who.projectId), is("created_by", "=", who.userId)]),
        is("workspace_id", "in", idsOf(tx, workspaceIds)),
      ]),
    )
    .orderBy("id");
  return await forUpdate(tx, query).execute();
}

/** What this person wrote in a project speaks of nothing any more. */
export async function deleteClaimsOfWriter(
  tx: Tx,
  who: { projectId: string; userId: string },
): Promise<void> {
  const threads = tx.q.selectFrom("threads").select("id").where("project_id", "=", who.projectId);
  await tx.q
    .deleteFrom("file_claims")
    .where("thread_id", "in", threads)
    .where("message_id", "in", (is) =>
      is.selectFrom("messages").select("id").where("created_by", "=", who.userId),
    )
    .execute();
}
