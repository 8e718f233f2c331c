import { buffer } from "node:stream/consumers";
import { BlobMissingError, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { AppError } from "#server/lib/errors.ts";
import type { FindFile } from "./uploads/bucket-uploads.ts";
import * as rows from "./rows.ts";

export type { StoredFile } from "./rows.ts";

/** The bytes of files, for other parts of the server. */
export type Contents = {
  /** The files of the workspace among `ids` whose bytes are stored, by id. */
  find(workspaceId: string, ids: readonly string[]): Promise<Map<string, rows.StoredFile>>;
  /** The first `maxBytes` bytes. Throws `BlobMissingError`, `BlobsUnreachableError` and the signal's reason. */
  bytes(file: rows.StoredFile, options: { maxBytes: number; signal: AbortSignal }): Promise<Buffer>;
};

export function createContents(options: { db: Database; blobs: Blobs; find: FindFile }): Contents {
  const { db, blobs, find } = options;
  return {
    async find(workspaceId, ids) {
      const uniqueIds = [...new Set(ids)];
      const stored = await rows.findStoredFiles({ engine: db.engine, q: db.read }, uniqueIds);
      const found = new Map(stored.map((file) => [file.id, file]));
      // Uploads in a bucket may not be imported yet.
      if (blobs.directUploads !== undefined)
        for (const id of uniqueIds.filter((each) => !found.has(each))) {
          const imported = await find(id);
          if (imported !== undefined) found.set(id, imported);
        }
      return new Map([...found].filter(([, file]) => file.workspace_id === workspaceId));
    },

    async bytes(file, { maxBytes, signal }) {
      if (file.size_bytes === 0) return Buffer.alloc(0);
      const range = { start: 0, end: Math.min(file.size_bytes, maxBytes) - 1 };
      return await buffer(await blobs.read(file.blob_key, { range, signal }));
    },
  };
}

/** For `catch`: throws `file-not-found` for a missing blob, and every other error as it is. */
export function throwFileNotFound(error: unknown): never {
  throw error instanceof BlobMissingError ? new AppError("file-not-found", { cause: error }) : error;
}
