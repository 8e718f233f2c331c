import type { Readable } from "node:stream";
import { BlobMissingError, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { KeepFile } from "./store-upload.ts";
import * as rows from "../rows.ts";
import { incomingKey } from "./uploads.ts";

/** Finds a file whose bytes are there, also where they went to the bucket without our seeing them. */
export type FindStored = (id: string) => Promise<rows.StoredFile | undefined>;

export type Arrivals = {
  find: FindStored;
  /** The same for whoever waits for it. Throws why what came was not kept: what `KeepFile` throws. */
  await: FindStored;
};

/**
 * A bucket does not say when somebody has put something there: we look when the file is first wanted, and take it into
 * our own keeping. On a disk there is such a thing only where it was moved from a bucket before it was taken in. The address that it was sent to may be used again until it expires, and changes nothing any more.
 */
export function createArrivals(options: {
  db: Database;
  blobs: Blobs;
  keep: KeepFile;
  logger: Logger;
}): Arrivals {
  const { db, blobs, keep, logger } = options;
  const underWay = new Map<string, Promise<AppError | undefined>>();

  /** Answers why it was not kept. */
  async function takeIn(file: rows.FileRow): Promise<AppError | undefined> {
    const key = incomingKey(file.id);
    const sizeBytes = await blobs.size(key);
    if (sizeBytes === undefined) return undefined;
    let refused: AppError | undefined;
    let bytes: Readable | undefined;
    try {
      bytes = await blobs.read(key);
      await keep(file, { bytes, sizeBytes });
    } catch (error) {
      if (error instanceof BlobMissingError) return undefined;
      if (!(error instanceof AppError)) throw error;
      refused = error;
      logger.info({ fileId: file.id, code: error.code }, "an upload was not kept");
    } finally {
      // Where it was refused before anything of it was read.
      bytes?.destroy();
    }
    await blobs.remove(key);
    return refused;
  }

  async function look(id: string): Promise<{ stored?: rows.StoredFile; refused?: AppError }> {
    const stored = await rows.findStored(db.read, id);
    if (stored !== undefined) return { stored };
    const promised = await rows.findFile(db.read, id);
    if (promised === undefined) return {};
    const taking = underWay.get(id) ?? takeIn(promised).finally(() => underWay.delete(id));
    underWay.set(id, taking);
    const refused = await taking;
    const arrived = await rows.findStored(db.read, id);
    if (arrived !== undefined) return { stored: arrived };
    return refused === undefined ? {} : { refused };
  }

  return {
    find: async (id) => (await look(id)).stored,
    async await(id) {
      const { stored, refused } = await look(id);
      if (refused !== undefined) throw refused;
      return stored;
    },
  };
}
