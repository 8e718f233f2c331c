import type { Tx } from "#storage/database/database.ts";
import * as claims from "./claim-rows.ts";
import { releaseBlob } from "./cleanup/release.ts";
import * as rows from "./rows.ts";

export type Owner = { workspaceId: string; userId: string };

/**
 * What `from` has in one workspace is `to`'s, in another, from now on; bytes that both have are there once. Answers how
 * many files that were.
 */
export async function moveFiles(tx: Tx, from: Owner, to: Owner, nowMs: number): Promise<number> {
  await claims.holdForMove(tx, from.workspaceId, to.workspaceId);
  for (const { thereKey, ...blob } of await claims.blobsInBoth(tx, from.workspaceId, to.workspaceId)) {
    // Its last file there may go at this moment: then these bytes stay what they are.
    if ((await rows.holdBlob(tx, thereKey)) === undefined) continue;
    await claims.changeBlob(tx, blob.key, thereKey);
    await releaseBlob(tx, { ...blob, type: null }, nowMs);
  }
  return await claims.moveRows(tx, from, to);
}
