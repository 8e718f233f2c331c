import type { Tx } from "#storage/database/database.ts";
import * as referenceRows from "./file-reference-rows.ts";
import { removeBlob } from "./cleanup/release.ts";
import * as rows from "./rows.ts";

export type Owner = { workspaceId: string; userId: string };

/**
 * Moves the files of one workspace to another person and workspace. Bytes that both have are stored once afterwards.
 * Returns how many files were moved.
 */
export async function moveFiles(tx: Tx, from: Owner, to: Owner, nowMs: number): Promise<number> {
  await referenceRows.lockForMove(tx, from.workspaceId, to.workspaceId);
  for (const { toKey, ...blob } of await referenceRows.blobsInBoth(tx, from.workspaceId, to.workspaceId)) {
    // Another transaction may have deleted its last file meanwhile.
    if ((await rows.lockBlob(tx, toKey)) === undefined) continue;
    await referenceRows.replaceBlob(tx, blob.key, toKey);
    await removeBlob(tx, { ...blob, type: null }, nowMs);
  }
  return await referenceRows.moveRows(tx, from, to);
}
