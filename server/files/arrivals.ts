import { BlobMissingError, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/sql/database.ts";
import { AppError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { KeepFile } from "./keep.ts";
import * as rows from "./rows.ts";
import { incomingKey } from "./uploads.ts";

/** Finds a file whose bytes are there, also where they went to the bucket without our seeing them. */
export type FindStored = (id: string) => Promise<rows.StoredFile | undefined>;

/**
 * A bucket does not say when somebody has put something there: we look when the file is first wanted, and take it into
 * our own keeping. The address that it was sent to may be used again until it expires, and changes nothing any more.
 */
export function createArrivals(options: {
  db: Database;
  blobs: Blobs;
  keep: KeepFile;
  logger: Logger;
}): FindStored {
  const { db, blobs, keep, logger } = options;
  const underWay = new Map<string, Promise<void>>();

  async function takeIn(file: rows.FileRow): Promise<void> {
    const key = incomingKey(file.id);
    const sizeBytes = await blobs.size(key);
    if (sizeBytes === undefined) return;
    try {
      await keep(file, { bytes: await blobs.read(key), sizeBytes });
    } catch (error) {
      if (error instanceof BlobMissingError) return;
      if (!(error instanceof AppError)) throw error;
      logger.info({ fileId: file.id, code: error.code }, "an upload was not kept");
    }
    await blobs.remove(key);
  }

  return async (id) => {
    const stored = await rows.findStored(db.read, id);
    if (stored !== undefined || blobs.direct === undefined) return stored;
    const promised = await rows.findFile(db.read, id);
    if (promised === undefined) return undefined;
    const taking = underWay.get(id) ?? takeIn(promised).finally(() => underWay.delete(id));
    underWay.set(id, taking);
    await taking;
    return await rows.findStored(db.read, id);
  };
}
