import { limits } from "#contract/limits.ts";
import { deleteUnfinished } from "#storage/blobs/disk.ts";
import { isKey, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import type { FindFile } from "../uploads/bucket-uploads.ts";
import type { Live } from "#server/live/live.ts";
import { announceFiles } from "../announce-files.ts";
import { pageFolder, removeRenderings } from "../serving/pdf/page-cache.ts";
import { removeFile } from "./release.ts";
import * as rows from "../rows.ts";
import { incomingKey } from "../uploads/uploads.ts";

/** Removes unused files and bytes. Several servers may sweep at once. */
export type FileSweeps = {
  /** Deletes files that no message references: of deleted messages at once, others after a day. Returns how many. */
  files(signal: AbortSignal): Promise<number>;
  /** Removes bytes of deleted files and of unfinished uploads. Returns the number of keys. */
  bytes(signal: AbortSignal): Promise<number>;
};

const filesPerBatch = 50;
const keysPerBatch = 50;
/** 30 minutes. Its upload URL has expired by then. */
const uploadedMs = 2 * limits.fileLinkMs;

export function createFileSweeps(options: {
  db: Database;
  blobs: Blobs;
  live: Live;
  find: FindFile;
  /** The folder of the blobs, if they are on a disk. */
  folder: string | undefined;
  clock: Clock;
}): FileSweeps {
  const { db, blobs, live, find, folder, clock } = options;

  async function removeDue(): Promise<number> {
    const keys = await rows.dueRemovals(db, clock.now(), keysPerBatch);
    for (const key of keys)
      if (key.startsWith(pageFolder)) await removeRenderings(blobs, key);
      else await blobs.remove(key);
    if (keys.length > 0) await db.write(async (tx) => await rows.cancelRemovals(tx, keys));
    return keys.length;
  }

  /** Imports old uploads in the bucket that belong to pending files, and removes them from the upload folder. */
  async function emptyIncoming(signal: AbortSignal): Promise<number> {
    let count = 0;
    for await (const { key, changedAtMs } of blobs.list(incomingKey(""))) {
      if (signal.aborted) break;
      // Other programs may use the bucket too.
      if (changedAtMs >= clock.now() - uploadedMs || !isKey(key)) continue;
      await find(key.slice(incomingKey("").length));
      await blobs.remove(key);
      count += 1;
    }
    return count;
  }

  /**
   * Searches all files in the read worker first. Then locks what it found and checks again, because a message may
   * reference a file meanwhile.
   */
  async function removeUnreferenced(): Promise<number> {
    const before = clock.now() - limits.unusedFileMs;
    const found = await rows.findUnreferenced({ engine: db.engine, q: db.readWorker }, before, filesPerBatch);
    if (found.length === 0) return 0;
    const ids = found.map(({ id }) => id);
    return await db.write(async (tx) => {
      await rows.lockFiles(tx, ids);
      const removed = await rows.findUnreferenced(tx, before, filesPerBatch, ids);
      for (const file of removed) await removeFile(tx, file, clock.now());
      await announceFiles(live, tx, removed);
      return removed.length;
    });
  }

  return {
    files: async (signal) => await sweep(removeUnreferenced, { size: filesPerBatch, clock, signal }),

    async bytes(signal) {
      const removed = await sweep(removeDue, { size: keysPerBatch, clock, signal });
      const unfinished =
        folder === undefined ? 0 : await deleteUnfinished(folder, clock.now() - limits.unusedFileMs);
      return removed + unfinished + (await emptyIncoming(signal));
    },
  };
}
