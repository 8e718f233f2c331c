import { limits } from "#contract/limits.ts";
import { clearUnfinished } from "#storage/blobs/disk.ts";
import { isKey, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import type { FindStored } from "../uploads/bucket-arrivals.ts";
import type { Live } from "#server/live/live.ts";
import { announceFiles } from "../announce-files.ts";
import { pageFolder, removeDrawings } from "../serving/pdf/page-cache.ts";
import { releaseFile } from "./release.ts";
import * as rows from "../rows.ts";
import { incomingKey } from "../uploads/uploads.ts";

/** Clears away what nobody needs. Several servers may do so at once. */
export type FileSweeps = {
  /**
   * Files that no message speaks of: those of deleted messages at once, others after a day. Answers how many.
   */
  files(signal: AbortSignal): Promise<number>;
  /** Bytes that no file has any more, and what died on its way here. Answers how many keys went. */
  bytes(signal: AbortSignal): Promise<number>;
};

const filesPerBatch = 50;
const keysPerBatch = 50;
/** A day: whoever sends something needs minutes, and whoever is to say something with it hours. */
const abandonedMs = 24 * 3_600_000;

/** 30 minutes: by then no address takes more of it. */
const arrivedMs = 2 * limits.fileLinkMs;

export function createFileSweeps(options: {
  db: Database;
  blobs: Blobs;
  live: Live;
  find: FindStored;
  /** The folder of the files, where they are on the disk. */
  folder: string | undefined;
  clock: Clock;
}): FileSweeps {
  const { db, blobs, live, find, folder, clock } = options;

  async function removeDue(): Promise<number> {
    const keys = await rows.dueRemovals(db, clock.now(), keysPerBatch);
    for (const key of keys)
      if (key.startsWith(pageFolder)) await removeDrawings(blobs, key);
      else await blobs.remove(key);
    if (keys.length > 0) await db.write(async (tx) => await rows.forgetRemovals(tx, keys));
    return keys.length;
  }

  /** What was sent and not seen is taken in, wherever somebody waits for it, and cleared away where not. */
  async function emptyIncoming(signal: AbortSignal): Promise<number> {
    let count = 0;
    for await (const { key, changedAtMs } of blobs.list(incomingKey(""))) {
      if (signal.aborted) break;
      // What somebody else put there is theirs.
      if (changedAtMs >= clock.now() - arrivedMs || !isKey(key)) continue;
      await find(key.slice(incomingKey("").length));
      await blobs.remove(key);
      count += 1;
    }
    return count;
  }

  /**
   * Looked for first, aside, for all files are looked at; then held and looked at again: whoever begins to speak of one
   * holds it too.
   */
  async function releaseUnclaimed(): Promise<number> {
    const before = clock.now() - abandonedMs;
    const found = await rows.unclaimed({ engine: db.engine, q: db.readWorker }, before, filesPerBatch);
    if (found.length === 0) return 0;
    const ids = found.map(({ id }) => id);
    return await db.write(async (tx) => {
      await rows.holdAll(tx, ids);
      const gone = await rows.unclaimed(tx, before, filesPerBatch, ids);
      for (const file of gone) await releaseFile(tx, file, clock.now());
      await announceFiles(live, tx, gone);
      return gone.length;
    });
  }

  return {
    files: async (signal) => await sweep(releaseUnclaimed, { size: filesPerBatch, clock, signal }),

    async bytes(signal) {
      const removed = await sweep(removeDue, { size: keysPerBatch, clock, signal });
      const unfinished = folder === undefined ? 0 : await clearUnfinished(folder, clock.now() - abandonedMs);
      return removed + unfinished + (await emptyIncoming(signal));
    },
  };
}
