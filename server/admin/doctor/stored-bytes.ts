import type { Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { scheduleOrphanRemovals } from "#server/files/cleanup/release.ts";
import { pageFolder } from "#server/files/serving/pdf/page-cache.ts";
import { fileFolder, thumbnailFolder } from "#server/files/stored-blobs.ts";
import { incomingKey } from "#server/files/uploads/uploads.ts";
import type { CheckedFinding } from "./doctor.ts";
import type { Snapshot } from "./check.ts";

/** Younger bytes can belong to a current or aborted upload, which the server deletes itself. */
const freshMs = 24 * 3_600_000;
const shownMax = 20;
/** The folders of files and of their thumbnails. */
const folders = [fileFolder, thumbnailFolder];
/** Two days: pages expire after one day, and a server deletes them within minutes. */
const oldPagesMs = 48 * 3_600_000;

/** Compares the files in the database with the listed contents of the file storage. */
export async function bytesFaults(
  snapshot: Pick<Snapshot, "rows" | "nowMs">,
  blobs: Blobs,
): Promise<CheckedFinding[]> {
  const missing = new Set<string>();
  const sizes = new Map<string, number>();
  for (const row of await snapshot.rows("select key, size_bytes from blobs"))
    sizes.set(String(row.key), Number(row.size_bytes));
  for (const key of sizes.keys()) missing.add(key);
  const known = new Set(sizes.keys());
  for (const statement of [
    "select thumbnail_key as key from blobs where thumbnail_key is not null",
    "select key from blob_removals",
  ])
    for (const { key } of await snapshot.rows(statement)) known.add(String(key));

  const truncated: string[] = [];
  const orphans: string[] = [];
  for (const folder of folders)
    for await (const { key, sizeBytes, changedAtMs } of blobs.list(folder)) {
      missing.delete(key);
      if (sizes.has(key) && sizes.get(key) !== sizeBytes) truncated.push(key);
      if (!known.has(key) && changedAtMs < snapshot.nowMs - freshMs) orphans.push(key);
    }
  const restore =
    "Restore them from a backup of the files. Until then, these files are reported as not found.";
  return [
    fault("stored files are missing", [...missing], restore),
    fault("stored files have the wrong size", truncated, restore),
    fault("stored bytes belong to no file", orphans, "cli doctor --repair deletes them."),
  ].filter(({ count }) => count > 0);
}

/** Cached PDF pages and uploads that should be deleted by now. */
export async function bytesNotes(nowMs: number, blobs: Blobs): Promise<CheckedFinding[]> {
  const old: string[] = [];
  for await (const { key, changedAtMs } of blobs.list(pageFolder))
    if (changedAtMs < nowMs - oldPagesMs) old.push(key);
  const unprocessed: string[] = [];
  for await (const { key, changedAtMs } of blobs.list(incomingKey("")))
    if (changedAtMs < nowMs - oldPagesMs) unprocessed.push(key);
  const remedy = "A server deletes them within minutes of its start.";
  const foreign =
    "A server processes uploads of files. Entries with other names were not created by Parlance.";
  return [
    fault("old PDF pages are still cached", old, remedy),
    fault("uploads were not processed", unprocessed, foreign),
  ].filter(({ count }) => count > 0);
}

/** Schedules the deletion of bytes without a file. A server deletes them within minutes. Returns the number of keys. */
export async function repairBytes(db: Database, blobs: Blobs, nowMs: number): Promise<number> {
  const found: string[] = [];
  for (const folder of folders)
    for await (const { key, changedAtMs } of blobs.list(folder))
      if (changedAtMs < nowMs - freshMs) found.push(key);
  return await db.write(async (tx) => await scheduleOrphanRemovals(tx, found, nowMs));
}

function fault(about: string, keys: string[], remedy: string): CheckedFinding {
  return { check: "files", about, count: keys.length, ids: keys.toSorted().slice(0, shownMax), remedy };
}
