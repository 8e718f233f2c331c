import { buffer } from "node:stream/consumers";
import { undefinedIfMissing, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Live } from "#server/live/live.ts";
import { announceFiles } from "../announce-files.ts";
import type { Quota } from "#server/quota/quota.ts";
import * as rows from "../rows.ts";
import { typeOfUpload } from "./declared-type.ts";
import { sniffBytes } from "./sniff.ts";

/**
 * Attaches bytes to a pending file that its workspace already has, so that they need not be sent. Returns whether it
 * did. Throws `quota-full`, `file-not-found` if the file was deleted meanwhile, and what the blob store throws.
 */
export type ReuseBytes = (
  file: rows.FileRow,
  bytes: { sha256: string; sizeBytes: number },
) => Promise<boolean>;

export function createReuseBytes(options: {
  db: Database;
  blobs: Blobs;
  live: Live;
  clock: Clock;
  quota: Quota;
}): ReuseBytes {
  const { db, blobs, live, clock, quota } = options;

  /** The first bytes; `undefined`: the store has lost the blob. */
  async function headOf(key: string, sizeBytes: number): Promise<Buffer | undefined> {
    if (sizeBytes === 0) return Buffer.alloc(0);
    const range = { start: 0, end: Math.min(sizeBytes, sniffBytes) - 1 };
    return await blobs.read(key, { range }).then(buffer).catch(undefinedIfMissing);
  }

  return async (file, { sha256, sizeBytes }) => {
    const { workspace_id: workspaceId } = file;
    const there = await rows.findSameBytes(db.read, workspaceId, sha256, sizeBytes);
    const head = there === undefined ? undefined : await headOf(there.key, sizeBytes);
    if (head === undefined) return false;
    const type = await typeOfUpload(head, file.name, file.declared_type);
    return await db.write(async (tx) => {
      const still = await rows.lockFile(tx, file.id);
      if (still === undefined) throw new AppError("file-not-found");
      // Another request has stored bytes. Storing ours checks whether they are the same.
      if (still.blob_key !== null) return false;
      await rows.lockWorkspace(tx, workspaceId);
      await quota.lockAndCheck(tx, file, sizeBytes);
      const same = await rows.lockSameBytes(tx, workspaceId, sha256, sizeBytes);
      if (same === undefined) return false;
      await rows.updateFile(tx, file.id, {
        type,
        size_bytes: sizeBytes,
        blob_key: same.key,
        stored_at: clock.now(),
      });
      await announceFiles(live, tx, [file]);
      return true;
    });
  };
}
