import type { Clock } from "#server/lib/clock.ts";
import { thumbnailFolder } from "#server/files/serving/thumbnails.ts";
import { isKey, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";

/** The prefixes of stored files and their thumbnails. */
const folders = ["kept/", thumbnailFolder];
/** 10 minutes: an upload becomes a file within seconds. */
export const recentMs = 10 * 60_000;
const batchSize = 200;

type StoredBlob = { key: string; changedAtMs: number };

/**
 * Deletes blobs without a file from a store that no server uses any more, because servers clean up only their current store.
 * Keeps recent uploads that are about to become files. Returns the number of deleted blobs.
 */
export async function removeLeftovers(
  db: Database,
  store: Blobs,
  clock: Pick<Clock, "now">,
): Promise<number> {
  let count = 0;
  let batch: StoredBlob[] = [];
  const removeBatch = async () => {
    for (const key of await findLeftovers(db, batch, clock.now())) {
      await store.remove(key);
      count += 1;
    }
    batch = [];
  };
  for (const folder of folders)
    for await (const { key, changedAtMs } of store.list(folder)) {
      // Objects that Parlance did not write stay.
      if (isKey(key)) batch.push({ key, changedAtMs });
      if (batch.length === batchSize) await removeBatch();
    }
  await removeBatch();
  return count;
}

async function findLeftovers(db: Database, blobsToCheck: StoredBlob[], nowMs: number): Promise<string[]> {
  if (blobsToCheck.length === 0) return [];
  const keys = idsOf(
    db,
    blobsToCheck.map(({ key }) => key),
  );
  // Read the pending removals first: a key leaves them in the transaction that gives it to a file.
  const pendingRemovals = await db.read
    .selectFrom("blob_removals")
    .select("key")
    .where("due_at", ">", nowMs)
    .where("key", "in", keys)
    .execute();
  const pendingKeys = new Set(pendingRemovals.map(({ key }) => key));
  const blobs = await db.read
    .selectFrom("blobs")
    .select(["key", "thumbnail_key"])
    .where((is) => is.or([is("key", "in", keys), is("thumbnail_key", "in", keys)]))
    .execute();
  const usedKeys = new Set(blobs.flatMap((row) => [row.key, row.thumbnail_key]));
  return blobsToCheck
    .filter(({ key }) => !usedKeys.has(key))
    .filter(({ key, changedAtMs }) => !pendingKeys.has(key) || changedAtMs < nowMs - recentMs)
    .map(({ key }) => key);
}
