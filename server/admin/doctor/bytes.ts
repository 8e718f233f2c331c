import type { Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { scheduleOrphanRemovals } from "#server/files/cleanup/repair.ts";
import { pageFolder } from "#server/files/serving/pdf/page-cache.ts";
import { thumbnailFolder } from "#server/files/serving/thumbnails.ts";
import { incomingKey } from "#server/files/uploads/uploads.ts";
import type { Named } from "./doctor.ts";
import type { Reading } from "./reading.ts";

/** What an upload under way, or one that was broken off, may have left and is cleared away by itself. */
const freshMs = 24 * 3_600_000;
const shownMax = 20;
/** Where the bytes of files are, and what was made of them and can be made again. */
const folders = ["kept/", thumbnailFolder];
/** Two days: pages are kept for one, and a server clears them away within minutes. */
const oldPagesMs = 48 * 3_600_000;

/** Whether the store has the bytes of every file, and nothing that no file has. Reads the list of the store once. */
export async function bytesFaults(reading: Pick<Reading, "rows" | "nowMs">, blobs: Blobs): Promise<Named[]> {
  const missing = new Set<string>();
  const sizes = new Map<string, number>();
  for (const row of await reading.rows("select key, size_bytes from blobs"))
    sizes.set(String(row.key), Number(row.size_bytes));
  for (const key of sizes.keys()) missing.add(key);
  const known = new Set(sizes.keys());
  for (const statement of [
    "select thumbnail_key as key from blobs where thumbnail_key is not null",
    "select key from blob_removals",
  ])
    for (const { key } of await reading.rows(statement)) known.add(String(key));

  const cut: string[] = [];
  const orphans: string[] = [];
  for (const folder of folders)
    for await (const { key, sizeBytes, changedAtMs } of blobs.list(folder)) {
      missing.delete(key);
      if (sizes.has(key) && sizes.get(key) !== sizeBytes) cut.push(key);
      if (!known.has(key) && changedAtMs < reading.nowMs - freshMs) orphans.push(key);
    }
  const lost = "Put them back from a backup of the files; what cannot be put back is told as not found.";
  return [
    fault("bytes of files are missing", [...missing], lost),
    fault("bytes of files have another length than they had", cut, lost),
    fault("bytes are kept that no file has", orphans, "cli doctor --repair has them cleared away."),
  ].filter(({ count }) => count > 0);
}

/** Pages of PDFs, and uploads, that should be gone by now. */
export async function bytesNotes(nowMs: number, blobs: Blobs): Promise<Named[]> {
  const old: string[] = [];
  for await (const { key, changedAtMs } of blobs.list(pageFolder))
    if (changedAtMs < nowMs - oldPagesMs) old.push(key);
  const waiting: string[] = [];
  for await (const { key, changedAtMs } of blobs.list(incomingKey("")))
    if (changedAtMs < nowMs - oldPagesMs) waiting.push(key);
  const remedy = "A server clears them away within minutes of its start.";
  const strange = "A server takes in what is a file's; what has another name was put there by somebody else.";
  return [
    fault("old pages of PDFs are there", old, remedy),
    fault("uploads wait that nobody took in", waiting, strange),
  ].filter(({ count }) => count > 0);
}

/** Has whatever no file has cleared away by a server, within minutes. Answers how many keys. */
export async function mendBytes(db: Database, blobs: Blobs, nowMs: number): Promise<number> {
  const found: string[] = [];
  for (const folder of folders)
    for await (const { key, changedAtMs } of blobs.list(folder))
      if (changedAtMs < nowMs - freshMs) found.push(key);
  return await db.write(async (tx) => await scheduleOrphanRemovals(tx, found, nowMs));
}

function fault(about: string, keys: string[], remedy: string): Named {
  return { check: "files", about, count: keys.length, ids: keys.toSorted().slice(0, shownMax), remedy };
}
