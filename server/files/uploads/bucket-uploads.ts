import type { Readable } from "node:stream";
import { BlobMissingError, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { StoreUpload } from "./store-upload.ts";
import * as rows from "../rows.ts";
import { incomingKey } from "./uploads.ts";

/** Finds a file whose bytes are stored, including bytes that a browser sent directly to the bucket. */
export type FindFile = (id: string) => Promise<rows.StoredFile | undefined>;

export type BucketUploads = {
  find: FindFile;
  /** Like `find`, but throws why uploaded bytes were refused: what `StoreUpload` throws. */
  findOrThrow: FindFile;
};

/**
 * Imports uploads that browsers send directly to a bucket. A bucket does not report uploads, so the server looks when a
 * file is first needed, and moves the bytes to another key. The upload URL may be used again until it expires, but then
 * changes nothing. On a disk there are such uploads only if they were copied from a bucket.
 */
export function createBucketUploads(options: {
  db: Database;
  blobs: Blobs;
  store: StoreUpload;
  logger: Logger;
}): BucketUploads {
  const { db, blobs, store, logger } = options;
  const pending = new Map<string, Promise<AppError | undefined>>();

  /** Returns why the bytes were refused. */
  async function importUpload(file: rows.FileRow): Promise<AppError | undefined> {
    const key = incomingKey(file.id);
    const sizeBytes = await blobs.size(key);
    if (sizeBytes === undefined) return undefined;
    let refusal: AppError | undefined;
    let bytes: Readable | undefined;
    try {
      bytes = await blobs.read(key);
      await store(file, { bytes, sizeBytes });
    } catch (error) {
      if (error instanceof BlobMissingError) return undefined;
      if (!(error instanceof AppError)) throw error;
      refusal = error;
      logger.info({ fileId: file.id, code: error.code }, "an upload was refused");
    } finally {
      // The upload may be refused before any of it is read.
      bytes?.destroy();
    }
    await blobs.remove(key);
    return refusal;
  }

  async function look(id: string): Promise<{ stored?: rows.StoredFile; refusal?: AppError }> {
    const stored = await rows.findStoredFile(db.read, id);
    if (stored !== undefined) return { stored };
    const file = await rows.findFile(db.read, id);
    if (file === undefined) return {};
    const importing = pending.get(id) ?? importUpload(file).finally(() => pending.delete(id));
    pending.set(id, importing);
    const refusal = await importing;
    const imported = await rows.findStoredFile(db.read, id);
    if (imported !== undefined) return { stored: imported };
    return refusal === undefined ? {} : { refusal };
  }

  return {
    find: async (id) => (await look(id)).stored,
    async findOrThrow(id) {
      const { stored, refusal } = await look(id);
      if (refusal !== undefined) throw refusal;
      return stored;
    },
  };
}
