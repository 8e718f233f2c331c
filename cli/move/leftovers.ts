import type { Clock } from "#server/lib/clock.ts";
import { thumbnailFolder } from "#server/files/serving/thumbnails.ts";
import { isKey, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";

/** Where the bytes of files are, and what was made of them. */
const folders = ["kept/", thumbnailFolder];
/** 10 minutes: whatever has come is a file's within seconds. */
export const freshMs = 10 * 60_000;
const batchSize = 200;

type Kept = { key: string; changedAtMs: number };

/**
 * Takes away from a store that no server uses any more what no file has: what was deleted since is looked for in the
 * other one alone. What is just becoming a file's stays. Answers how many there were.
 */
export async function removeLeftovers(
  db: Database,
  store: Blobs,
  clock: Pick<Clock, "now">,
): Promise<number> {
  let count = 0;
  let batch: Kept[] = [];
  const removeBatch = async () => {
    for (const key of await leftoversOf(db, batch, clock.now())) {
      await store.remove(key);
      count += 1;
    }
    batch = [];
  };
  for (const folder of folders)
    for await (const { key, changedAtMs } of store.list(folder)) {
      // What somebody else put there is theirs.
      if (isKey(key)) batch.push({ key, changedAtMs });
      if (batch.length === batchSize) await removeBatch();
    }
  await removeBatch();
  return count;
}

async function leftoversOf(db: Database, kept: Kept[], nowMs: number): Promise<string[]> {
  if (kept.length === 0) return [];
  const keys = idsOf(
    db,
    kept.map(({ key }) => key),
  );
  // The notes first: a key goes out of them in the transaction that gives it to a file.
  const noted = await db.read
    .selectFrom("blob_removals")
    .select("key")
    .where("due_at", ">", nowMs)
    .where("key", "in", keys)
    .execute();
  const coming = new Set(noted.map(({ key }) => key));
  const blobs = await db.read
    .selectFrom("blobs")
    .select(["key", "thumbnail_key"])
    .where((is) => is.or([is("key", "in", keys), is("thumbnail_key", "in", keys)]))
    .execute();
  const wanted = new Set(blobs.flatMap((row) => [row.key, row.thumbnail_key]));
  return kept
    .filter(({ key }) => !wanted.has(key))
    .filter(({ key, changedAtMs }) => !coming.has(key) || changedAtMs < nowMs - freshMs)
    .map(({ key }) => key);
}
