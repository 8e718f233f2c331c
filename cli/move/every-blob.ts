import { incomingKey } from "#server/files/uploads/uploads.ts";
import { isKey, type Blobs } from "#storage/blobs/blobs.ts";
import type { BlobToMove } from "#storage/blobs/move.ts";
import type { Database } from "#storage/database/database.ts";

const pageSize = 200;

/** Lists the blobs of files, then uploads that are not files yet: the server with the new store completes those. */
export async function* listBlobsToMove(db: Database, source: Blobs): AsyncGenerator<BlobToMove> {
  yield* blobsOfFiles(db);
  for await (const { key } of source.list(incomingKey("")))
    if (isKey(key)) yield { key, sizeBytes: undefined, sha256: undefined };
}

/** In key order, one page at a time, so that the server can run between pages. */
async function* blobsOfFiles(db: Database): AsyncGenerator<BlobToMove> {
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
