import type { Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";

/** For the doctor: schedules the removal of those keys that no blob has. Returns how many. */
export async function scheduleOrphanRemovals(tx: Tx, keys: string[], nowMs: number): Promise<number> {
  const rows = await tx.q
    .selectFrom("blobs")
    .select(["key", "thumbnail_key"])
    .where((is) => is.or([is("key", "in", idsOf(tx, keys)), is("thumbnail_key", "in", idsOf(tx, keys))]))
    .execute();
  const known = new Set(rows.flatMap((row) => [row.key, row.thumbnail_key]));
  const orphans = keys.filter((key) => !known.has(key));
  for (const key of orphans)
    await tx.q
      .insertInto("blob_removals")
      .values({ key, due_at: nowMs })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return orphans.length;
}
