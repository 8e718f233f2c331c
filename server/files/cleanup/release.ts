import type { Tx } from "#storage/database/database.ts";
import { drawingKeysOf } from "../serving/pdf/page-cache.ts";
import * as rows from "../rows.ts";

type Held = Pick<rows.FileRow, "id" | "blob_key" | "type">;

/** Of what has no pages none were drawn, and nobody has to look for them. */
const hasNoPages = /^(?:image|audio|video|text)\//;

/** Deletes a file that is held, and lets go of its bytes, and of what was made of them, where no other file has them. They
 * are cleared away next. */
export async function releaseFile(tx: Tx, file: Held, nowMs: number): Promise<void> {
  await rows.deleteFile(tx, file.id);
  if (file.blob_key === null) return;
  const blob = await rows.holdBlob(tx, file.blob_key);
  // Asked once it is held: whoever gave the same bytes to another file has ended by now.
  if (blob === undefined || (await rows.isInUse(tx, blob.key))) return;
  await releaseBlob(tx, { ...blob, type: file.type }, nowMs);
}

/** Lets go of bytes that no file has any more, and of what was made of them. */
export async function releaseBlob(
  tx: Tx,
  blob: Pick<rows.BlobRow, "key" | "thumbnail_key"> & Pick<rows.FileRow, "type">,
  nowMs: number,
): Promise<void> {
  await rows.deleteBlob(tx, blob.key);
  await rows.noteRemoval(tx, blob.key, nowMs);
  if (!hasNoPages.test(blob.type ?? ""))
    for (const key of drawingKeysOf(blob.key)) await rows.noteRemoval(tx, key, nowMs);
  if (blob.thumbnail_key !== null && blob.thumbnail_key !== "")
    await rows.noteRemoval(tx, blob.thumbnail_key, nowMs);
}
