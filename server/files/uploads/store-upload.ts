import { createHash } from "node:crypto";
import { randomCharacters } from "#contract/ids.ts";
import type { Blobs } from "#storage/blobs/blobs.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Live } from "#server/live/live.ts";
import { announceFiles } from "../announce-files.ts";
import { commitCostBytes, type Throttle } from "./upload-throttle.ts";
import type { Quota } from "#server/quota/quota.ts";
import { fileFolder } from "../stored-blobs.ts";
import * as rows from "../rows.ts";
import { typeOfUpload } from "./declared-type.ts";
import { sniffBytes } from "./sniff.ts";

export type IncomingBytes = {
  bytes: AsyncIterable<Uint8Array>;
  sizeBytes?: number;
  /** The `Content-Type` that was sent with them. */
  contentType?: string | undefined;
  signal?: AbortSignal;
  /** The blob store may keep the chunks: nothing else uses them. */
  freeChunks?: boolean;
  /** Awaited before each chunk and before the commits. Absent for bytes from a bucket. */
  throttle?: Throttle;
};

export type StoreUpload = (file: rows.FileRow, incoming: IncomingBytes) => Promise<void>;

/** An upload that stores nothing for 2 hours has failed, and its blob is removed. */
export const unfinishedMs = 2 * 3_600_000;

/**
 * Stores the bytes of a pending file. They are counted, hashed and inspected while they are stored. Files of a workspace
 * with the same bytes share one blob. Sending the same bytes again succeeds.
 *
 * Throws `file-too-large`, `bad-request` if the size is not the declared one, `quota-full` as soon as the person's quota
 * is exceeded, `file-already-stored`, `file-not-found` if the file was deleted meanwhile, and what the blob store and
 * the source throw. After an error, none of the bytes can be read.
 */
export function createStoreUpload(options: {
  db: Database;
  blobs: Blobs;
  live: Live;
  clock: Clock;
  maxBytes: number;
  quota: Quota;
}): StoreUpload {
  const { db, blobs, live, clock, maxBytes, quota } = options;

  return async (file, { bytes, sizeBytes, contentType, signal, freeChunks = false, throttle }) => {
    // Bytes that are stored already take no more of the quota.
    const quotaBytes = file.blob_key === null ? await quota.bytesLeft(file) : Infinity;
    if (sizeBytes !== undefined && sizeBytes > quotaBytes) throw new AppError("quota-full");
    const key = newKey(file.id);
    const scheduleRemoval = async () =>
      await db.write(async (tx) => await rows.scheduleRemoval(tx, key, clock.now() + unfinishedMs));
    await throttle?.(commitCostBytes);
    await scheduleRemoval();
    const inspected = inspectBytes(bytes, {
      maxBytes,
      quotaBytes,
      declaredBytes: file.declared_bytes,
      throttle,
    });
    try {
      await blobs.put(key, postponingRemoval(inspected.bytes(), scheduleRemoval), {
        ...(sizeBytes === undefined ? {} : { sizeBytes }),
        ...(signal === undefined ? {} : { signal }),
        freeChunks,
      });
      const declared = file.declared_type ?? contentType;
      const type = await typeOfUpload(inspected.head(), file.name, declared);
      const stored = { ...inspected.sum(), type };
      await throttle?.(commitCostBytes);
      const isNew = await db.write(async (tx) => await attach(tx, file.id, key, stored));
      if (!isNew) await removeBytes(key);
    } catch (error) {
      // If it is unknown whether the commit succeeded, the scheduled removal skips a key that a blob has.
      if (error instanceof AppError) await removeBytes(key);
      throw error;
    }
  };

  /** Attaches the bytes to the file. Returns `false` if the workspace already has the same bytes under another key. */
  async function attach(
    tx: Tx,
    id: string,
    key: string,
    stored: { sha256: string; sizeBytes: number; type: string },
  ): Promise<boolean> {
    const nowMs = clock.now();
    const file = await rows.lockFile(tx, id);
    if (file === undefined) throw new AppError("file-not-found");
    if (file.blob_key !== null) {
      const there = await rows.findBlob(tx.q, file.blob_key);
      if (there?.sha256 !== stored.sha256) throw new AppError("file-already-stored");
      return false;
    }
    await rows.lockWorkspace(tx, file.workspace_id);
    await quota.lockAndCheck(tx, file, stored.sizeBytes);
    const same = await rows.lockSameBytes(tx, file.workspace_id, stored.sha256, stored.sizeBytes);
    if (same === undefined) {
      await rows.insertBlob(tx, {
        key,
        workspace_id: file.workspace_id,
        sha256: stored.sha256,
        size_bytes: stored.sizeBytes,
        thumbnail_key: null,
        created_at: nowMs,
      });
      await rows.cancelRemovals(tx, [key]);
    }
    await rows.updateFile(tx, id, {
      type: stored.type,
      size_bytes: stored.sizeBytes,
      blob_key: same?.key ?? key,
      stored_at: nowMs,
    });
    await announceFiles(live, tx, [file]);
    return same === undefined;
  }

  /** Postpones the removal of the blob while a slow client sends it. */
  async function* postponingRemoval(
    bytes: AsyncIterable<Uint8Array>,
    scheduleRemoval: () => Promise<void>,
  ): AsyncGenerator<Uint8Array> {
    let scheduledAt = clock.now();
    for await (const chunk of bytes) {
      if (clock.now() > scheduledAt + unfinishedMs / 4) {
        await scheduleRemoval();
        scheduledAt = clock.now();
      }
      yield chunk;
    }
  }

  async function removeBytes(key: string): Promise<void> {
    try {
      await blobs.remove(key);
      await db.write(async (tx) => await rows.cancelRemovals(tx, [key]));
    } catch {
      // The removal is still scheduled.
    }
  }
}

/** A key that was never used. The id's last two characters spread keys over 1,024 folders. */
function newKey(fileId: string): string {
  return `${fileFolder}${fileId.slice(-2)}/${fileId}.${randomCharacters(8)}`;
}

/** Counts, hashes and throttles the bytes that pass through `bytes()`. */
function inspectBytes(
  source: AsyncIterable<Uint8Array>,
  {
    maxBytes,
    quotaBytes,
    declaredBytes,
    throttle,
  }: {
    maxBytes: number;
    quotaBytes: number;
    declaredBytes: number | null;
    throttle: Throttle | undefined;
  },
) {
  const hash = createHash("sha256");
  const head: Uint8Array[] = [];
  let headBytes = 0;
  let sizeBytes = 0;
  return {
    async *bytes(): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) throw new AppError("file-too-large");
        if (declaredBytes !== null && sizeBytes > declaredBytes) throw notAsDeclared(declaredBytes);
        if (sizeBytes > quotaBytes) throw new AppError("quota-full");
        if (headBytes < sniffBytes) {
          // A copy, because the receiver may transfer the chunk's memory.
          head.push(Buffer.from(chunk.subarray(0, sniffBytes)));
          headBytes += chunk.length;
        }
        await throttle?.(chunk.length);
        hash.update(chunk);
        yield chunk;
      }
      if (declaredBytes !== null && sizeBytes !== declaredBytes) throw notAsDeclared(declaredBytes);
    },
    sum: () => ({ sha256: hash.digest("hex"), sizeBytes }),
    head: () => Buffer.concat(head).subarray(0, sniffBytes),
  };
}

function notAsDeclared(bytes: number): AppError {
  return badRequest("body", `must have exactly the ${bytes} bytes that were declared`);
}
