import { clearUnfinished } from "#storage/blobs/disk.ts";
import type { Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/sql/database.ts";
import type { Clock } from "../clock.ts";
import { sweep } from "../sweep.ts";
import * as rows from "./rows.ts";

/** Clears away what nobody needs. Several servers may do so at once. */
export type FileSweeps = {
  /** Bytes that no file has any more, and what died on its way here. Answers how many keys went. */
  bytes(signal: AbortSignal): Promise<number>;
};

const keysPerBatch = 50;
/** A day: whoever sends something needs minutes. */
const abandonedMs = 24 * 3_600_000;

export function createFileSweeps(options: {
  db: Database;
  blobs: Blobs;
  /** The folder of the files, where they are on the disk. */
  folder: string | undefined;
  clock: Clock;
}): FileSweeps {
  const { db, blobs, folder, clock } = options;

  async function removeDue(): Promise<number> {
    const keys = await rows.dueRemovals(db, clock.now(), keysPerBatch);
    for (const key of keys) await blobs.remove(key);
    if (keys.length > 0) await db.write(async (tx) => await rows.forgetRemovals(tx, keys));
    return keys.length;
  }

  /** What was sent to a bucket and not taken in, or again after that. */
  async function removeIncoming(): Promise<number> {
    let count = 0;
    for await (const { key, changedAtMs } of blobs.list("incoming/")) {
      if (changedAtMs >= clock.now() - abandonedMs) continue;
      await blobs.remove(key);
      count += 1;
    }
    return count;
  }

  return {
    async bytes(signal) {
      const removed = await sweep(removeDue, { size: keysPerBatch, clock, signal });
      if (folder !== undefined) return removed + (await clearUnfinished(folder, clock.now() - abandonedMs));
      return removed + (await removeIncoming());
    },
  };
}
