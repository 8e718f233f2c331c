import type { Tx } from "#storage/sql/database.ts";
import { drawingKeysOf } from "./pdf/page-cache.ts";
import * as rows from "./rows.ts";

type Held = Pick<rows.FileRow, "id" | "blob_key">;

/** Deletes a file that is held, and lets go of its bytes, and of what was made of them, where no other file has them. They
 * are cleared away next. */
export async function releaseFile(tx: Tx, file: Held, nowMs: number): Promise<void> {
  await rows.deleteFile(tx, file.id);
  if (file.blob_key === null) return;
  const blob = await rows.holdBlob(tx, file.blob_key);
  // Asked once it is held: whoever gave the same bytes to another file has ended by now.
  if (blob === undefined || (await rows.isInUse(tx, blob.key))) return;
  await rows.deleteBlob(tx, blob.key);
  await rows.noteRemoval(tx, blob.key, nowMs);
  for (const key of drawingKeysOf(blob.key)) await rows.noteRemoval(tx, key, nowMs);
  if (blob.thumbnail_key !== null && blob.thumbnail_key !== "")
    await rows.noteRemoval(tx, blob.thumbnail_key, nowMs);
}
