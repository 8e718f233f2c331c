import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { BlobMissingError, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { createKeyedMutex } from "#server/lib/keyed-mutex.ts";
import { ByteAnswer, type RequestFacts, type Visitor } from "#server/lib/route.ts";
import type { FindStored } from "../uploads/bucket-arrivals.ts";
import { unfinishedMs } from "../uploads/store-upload.ts";
import * as rows from "../rows.ts";
import { headOf, isThere } from "./serving.ts";

/** Small pictures of pictures: made when somebody first wants one, once for the bytes, and kept beside them. */
export type Thumbnails = {
  /**
   * For whoever acts in the file's workspace. Throws `file-not-found`, `no-thumbnail` where none can be made, and
   * `maintenance`.
   */
  read(visitor: Visitor, id: string, request: RequestFacts): Promise<ByteAnswer>;
};

/**
 * Makes a WebP of the bytes of a blob, which are read when they are wanted; `undefined` where none can be made of them.
 * Throws `maintenance` where it could not be tried, or may succeed another time.
 */
export type MakeThumbnail = (
  blobKey: string,
  read: () => Promise<Uint8Array>,
) => Promise<Uint8Array | undefined>;

/** 25 MiB: a larger picture is not opened. */
const openedBytes = 25 * 1024 * 1024;
/** What is tried. SVG is a program that draws: it is none of these, and is never run here. */
const tried = /^image\/(?:png|apng|jpeg|webp|gif|tiff|avif)$/;

/** Whether there may be a thumbnail of these bytes, as far as is known. */
export function mayHaveThumbnail(file: Pick<rows.StoredFile, "type" | "thumbnail_key">): boolean {
  return tried.test(file.type) && file.thumbnail_key !== "";
}

export function createThumbnails(options: {
  db: Database;
  blobs: Blobs;
  clock: Clock;
  find: FindStored;
  make: MakeThumbnail;
}): Thumbnails {
  const { db, blobs, clock, find, make } = options;
  const lock = createKeyedMutex();

  async function bytesOf(file: rows.StoredFile, signal: AbortSignal): Promise<Uint8Array> {
    const kept = await read(file.thumbnail_key);
    if (kept !== undefined) return kept;
    // One picture per workspace waits for the lock that all share, so that no workspace fills the queue.
    return await lock(
      file.workspace_id,
      async () => await lock("all", async () => await makeIfAbsent(file), signal),
      signal,
    );
  }

  /** `undefined` where nobody has made it, or its bytes were lost: it can be made again. */
  async function read(key: string | null): Promise<Uint8Array | undefined> {
    if (key === "") throw new AppError("no-thumbnail");
    if (key === null) return undefined;
    try {
      return await buffer(await blobs.read(key));
    } catch (error) {
      if (error instanceof BlobMissingError) return undefined;
      throw error;
    }
  }

  async function makeIfAbsent(file: rows.StoredFile): Promise<Uint8Array> {
    const blob = await rows.findBlob(db.read, file.blob_key);
    if (blob === undefined) throw new AppError("file-not-found");
    const kept = await read(blob.thumbnail_key);
    if (kept !== undefined) return kept;
    const made =
      blob.size_bytes > openedBytes ? undefined : await make(blob.key, async () => await wholeOf(blob.key));
    if (made === undefined) {
      await db.write(async (tx) => await rows.noteNoThumbnail(tx, blob.key));
      throw new AppError("no-thumbnail");
    }
    await keep(blob.key, made);
    return made;
  }

  async function wholeOf(key: string): Promise<Uint8Array> {
    try {
      return await buffer(await blobs.read(key));
    } catch (error) {
      if (error instanceof BlobMissingError) throw new AppError("file-not-found", { cause: error });
      throw error;
    }
  }

  /** Under a key that follows from that of the bytes: whoever else makes it at the same time makes the same. */
  async function keep(blobKey: string, made: Uint8Array): Promise<void> {
    const key = thumbnailKey(blobKey);
    await db.write(async (tx) => await rows.noteRemoval(tx, key, clock.now() + unfinishedMs));
    await blobs.put(key, one(made), { sizeBytes: made.length });
    await db.write(async (tx) => {
      // Of bytes that have gone meanwhile the note stays, and has it cleared away.
      if ((await rows.holdBlob(tx, blobKey)) === undefined) return;
      await rows.changeThumbnail(tx, blobKey, key);
      await rows.forgetRemovals(tx, [key]);
    });
  }

  return {
    async read(visitor, id, request) {
      const file = await find(id);
      if (file?.workspace_id !== visitor.workspaceId) throw new AppError("file-not-found");
      if (!mayHaveThumbnail(file)) throw new AppError("no-thumbnail");
      const tag = `${file.sha256.slice(0, 32)}-small`;
      const isKnown = isThere(request.ifNoneMatch, `"${tag}"`);
      const bytes = isKnown ? new Uint8Array() : await bytesOf(file, request.signal);
      const served = { name: `${file.name}.webp`, type: "image/webp", sizeBytes: bytes.length, tag };
      const { status, headers, range } = headOf(served, request, "credential", false);
      if (range === undefined) return new ByteAnswer(status, headers, undefined);
      const part = bytes.subarray(range.start, range.end + 1);
      return new ByteAnswer(status, headers, async () => Readable.from(one(part)));
    },
  };
}

/** `thumbnails/…`, beside `kept/…`. */
export const thumbnailFolder = "thumbnails/";

function thumbnailKey(blobKey: string): string {
  return blobKey.replace(/^kept\//, thumbnailFolder);
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
