import * as rows from "../rows.ts";
import type { Tx } from "#storage/database/database.ts";
import { pageListKeysOf } from "../serving/pdf/page-cache.ts";
import { usedKeys } from "../stored-blobs.ts";

type LockedFile = Pick<rows.FileRow, "id" | "blob_key" | "type">;

/** Types of files without rendered pages. */
const hasNoPages = /^(?:image|audio|video|text)\//;

/**
 * Deletes a locked file. If no other file has its bytes, schedules the removal of its blob, its thumbnail and its
 * rendered pages.
 */
export async function removeFile(tx: Tx, file: LockedFile, nowMs: number): Promise<void> {
  await rows.deleteFile(tx, file.id);
  if (file.blob_key === null) return;
  const blob = await rows.lockBlob(tx, file.blob_key);
  // Checked under the lock: a transaction that attached the blob to another file has ended.
  if (blob === undefined || (await rows.isInUse(tx, blob.key))) return;
  await removeBlob(tx, { ...blob, type: file.type }, nowMs);
}

/** Deletes a blob that no file has, and schedules the removal of its bytes, thumbnail and rendered pages. */
export async function removeBlob(
  tx: Tx,
  blob: Pick<rows.BlobRow, "key" | "thumbnail_key"> & Pick<rows.FileRow, "type">,
  nowMs: number,
): Promise<void> {
  await rows.deleteBlob(tx, blob.key);
  await rows.scheduleRemoval(tx, blob.key, nowMs);
  if (!hasNoPages.test(blob.type ?? ""))
    for (const key of pageListKeysOf(blob.key)) await rows.scheduleRemoval(tx, key, nowMs);
  if (blob.thumbnail_key !== null && blob.thumbnail_key !== "")
    await rows.scheduleRemoval(tx, blob.thumbnail_key, nowMs);
}

/** For the doctor: schedules the removal of those keys that no blob has. Returns how many. */
export async function scheduleOrphanRemovals(tx: Tx, keys: string[], nowMs: number): Promise<number> {
  const used = await usedKeys(tx, keys);
  const orphans = keys.filter((key) => !used.has(key));
  if (orphans.length > 0)
    await tx.q
      .insertInto("blob_removals")
      .values(orphans.map((key) => ({ key, due_at: nowMs })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return orphans.length;
}
