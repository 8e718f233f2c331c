import type { BlobToMove } from "#storage/blobs/move.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";

/** The prefixes of the keys of stored files and of their thumbnails. */
export const fileFolder = "kept/";
export const thumbnailFolder = "thumbnails/";

/** A blob as a store lists it. */
export type ListedBlob = { key: string; changedAtMs: number };

const pageSize = 200;

/** The blobs of files in key order, one page at a time, so that a server can run between pages. */
export async function* blobsOfFiles(db: Database): AsyncGenerator<BlobToMove> {
  for (let after = ""; ;) {
    const page = await db.read
      .selectFrom("blobs")
      .select(["key", "sha256", "size_bytes", "thumbnail_key"])
      .where("key", ">", after)
      .orderBy("key")
      .limit(pageSize)
      .execute();
    for (const row of page) {
      const isInUse = async () => await hasBlob(db, row.key);
      yield { key: row.key, sizeBytes: row.size_bytes, sha256: row.sha256, isInUse };
      if (row.thumbnail_key !== null && row.thumbnail_key !== "")
        yield { key: row.thumbnail_key, sizeBytes: undefined, sha256: undefined, isInUse };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last.key;
  }
}

/** Checked again before the copy, because the file may have been deleted since its page was read. */
async function hasBlob(db: Database, key: string): Promise<boolean> {
  const row = await db.read.selectFrom("blobs").select("key").where("key", "=", key).executeTakeFirst();
  return row !== undefined;
}

/** Those of the keys that are of files or of their thumbnails. */
export async function usedKeys(from: Pick<Tx, "engine" | "q">, keys: string[]): Promise<Set<string | null>> {
  const ids = idsOf(from, keys);
  const blobs = await from.q
    .selectFrom("blobs")
    .select(["key", "thumbnail_key"])
    .where((is) => is.or([is("key", "in", ids), is("thumbnail_key", "in", ids)]))
    .execute();
  return new Set(blobs.flatMap((row) => [row.key, row.thumbnail_key]));
}

/**
 * The keys without a file. A key that is about to get one is left out, unless its blob is older than `recentMs`.
 */
export async function findLeftovers(
  db: Database,
  blobsToCheck: ListedBlob[],
  { nowMs, recentMs }: { nowMs: number; recentMs: number },
): Promise<string[]> {
  if (blobsToCheck.length === 0) return [];
  const keys = blobsToCheck.map(({ key }) => key);
  // Read the pending removals first: a key leaves them in the transaction that gives it to a file.
  const pendingRemovals = await db.read
    .selectFrom("blob_removals")
    .select("key")
    .where("due_at", ">", nowMs)
    .where("key", "in", idsOf(db, keys))
    .execute();
  const pendingKeys = new Set(pendingRemovals.map(({ key }) => key));
  const used = await usedKeys({ engine: db.engine, q: db.read }, keys);
  return blobsToCheck
    .filter(({ key }) => !used.has(key))
    .filter(({ key, changedAtMs }) => !pendingKeys.has(key) || changedAtMs < nowMs - recentMs)
    .map(({ key }) => key);
}
