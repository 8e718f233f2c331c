import { throwFileNotFound } from "../contents.ts";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { undefinedIfMissing, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { createKeyedMutex } from "#server/lib/concurrency/keyed-mutex.ts";
import { FileResponse, type RequestFacts, type Visitor } from "#server/lib/route.ts";
import type { FindFile } from "../uploads/bucket-uploads.ts";
import { unfinishedMs } from "../uploads/store-upload.ts";
import { fileFolder, thumbnailFolder } from "../stored-blobs.ts";
import * as rows from "../rows.ts";
import { responseHead, matchesETag } from "./serving.ts";

/** Thumbnails of pictures. They are made on first request, once per blob, and stored. */
export type Thumbnails = {
  /** For a member of the file's workspace. Throws `file-not-found`, `no-thumbnail` and `maintenance`. */
  read(visitor: Visitor, id: string, request: RequestFacts): Promise<FileResponse>;
};

/**
 * Makes a WebP of a blob; `undefined`: none can be made. `read` loads the bytes. Throws `maintenance` if a later try may
 * succeed.
 */
export type MakeThumbnail = (
  blobKey: string,
  read: () => Promise<Uint8Array>,
) => Promise<Uint8Array | undefined>;

/** Larger pictures are not opened. */
const openedBytesMax = 25 * 1024 * 1024;
/** Without SVG, which is code. */
const supported = /^image\/(?:png|apng|jpeg|webp|gif|tiff|avif)$/;

/** Whether the file has a thumbnail or may get one. */
export function mayHaveThumbnail(file: Pick<rows.StoredFile, "type" | "thumbnail_key">): boolean {
  return supported.test(file.type) && file.thumbnail_key !== "";
}

export function createThumbnails(options: {
  db: Database;
  blobs: Blobs;
  clock: Clock;
  find: FindFile;
  make: MakeThumbnail;
}): Thumbnails {
  const { db, blobs, clock, find, make } = options;
  const lock = createKeyedMutex();

  async function bytesOf(file: rows.StoredFile, signal: AbortSignal): Promise<Uint8Array> {
    const stored = await read(file.thumbnail_key);
    if (stored !== undefined) return stored;
    // One picture per workspace waits for the lock that all share, so that no workspace fills the queue.
    return await lock(
      file.workspace_id,
      async () => await lock("all", async () => await makeIfAbsent(file), signal),
      signal,
    );
  }

  /** `undefined`: it is not made yet, or its bytes are lost. */
  async function read(key: string | null): Promise<Uint8Array | undefined> {
    if (key === "") throw new AppError("no-thumbnail");
    if (key === null) return undefined;
    return await blobs.read(key).then(buffer).catch(undefinedIfMissing);
  }

  async function makeIfAbsent(file: rows.StoredFile): Promise<Uint8Array> {
    const blob = await rows.findBlob(db.read, file.blob_key);
    if (blob === undefined) throw new AppError("file-not-found");
    const stored = await read(blob.thumbnail_key);
    if (stored !== undefined) return stored;
    const made =
      blob.size_bytes > openedBytesMax
        ? undefined
        : await make(blob.key, async () => await wholeOf(blob.key));
    if (made === undefined) {
      await db.write(async (tx) => await rows.setNoThumbnail(tx, blob.key));
      throw new AppError("no-thumbnail");
    }
    await save(blob.key, made);
    return made;
  }

  async function wholeOf(key: string): Promise<Uint8Array> {
    return await blobs.read(key).then(buffer).catch(throwFileNotFound);
  }

  /** The key is derived from the blob's, so that concurrent servers write the same key. */
  async function save(blobKey: string, made: Uint8Array): Promise<void> {
    const key = thumbnailKey(blobKey);
    await db.write(async (tx) => await rows.scheduleRemoval(tx, key, clock.now() + unfinishedMs));
    await blobs.put(key, one(made), { sizeBytes: made.length });
    await db.write(async (tx) => {
      // If the blob was deleted meanwhile, the thumbnail stays scheduled for removal.
      if ((await rows.lockBlob(tx, blobKey)) === undefined) return;
      await rows.setThumbnail(tx, blobKey, key);
      await rows.cancelRemovals(tx, [key]);
    });
  }

  return {
    async read(visitor, id, request) {
      const file = await find(id);
      if (file?.workspace_id !== visitor.workspaceId) throw new AppError("file-not-found");
      if (!mayHaveThumbnail(file)) throw new AppError("no-thumbnail");
      const tag = `${file.sha256.slice(0, 32)}-small`;
      const isKnown = matchesETag(request.ifNoneMatch, `"${tag}"`);
      const bytes = isKnown ? new Uint8Array() : await bytesOf(file, request.signal);
      const served = { name: `${file.name}.webp`, type: "image/webp", sizeBytes: bytes.length, tag };
      const { status, headers, range } = responseHead(served, request, "credential", false);
      if (range === undefined) return new FileResponse(status, headers, undefined);
      const part = bytes.subarray(range.start, range.end + 1);
      return new FileResponse(status, headers, async () => Readable.from(one(part)));
    },
  };
}

function thumbnailKey(blobKey: string): string {
  return thumbnailFolder + blobKey.slice(fileFolder.length);
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
