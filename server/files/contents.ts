import { buffer } from "node:stream/consumers";
import type { Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { FindStored } from "./uploads/bucket-arrivals.ts";
import * as rows from "./rows.ts";

export type { StoredFile } from "./rows.ts";

/** Files for whoever works with what they hold, always by the workspace that is worked for. */
export type Contents = {
  /** Those of `ids` that are files of the workspace and have their bytes, by their ids. Others are not told apart. */
  find(workspaceId: string, ids: readonly string[]): Promise<Map<string, rows.StoredFile>>;
  /** Its first bytes, at most so many. Throws `BlobMissingError`, `BlobsAwayError` and the signal's reason. */
  bytes(file: rows.StoredFile, options: { maxBytes: number; signal: AbortSignal }): Promise<Buffer>;
};

export function createContents(options: { db: Database; blobs: Blobs; find: FindStored }): Contents {
  const { db, blobs, find } = options;
  return {
    async find(workspaceId, ids) {
      const wanted = [...new Set(ids)];
      const found = new Map(
        (await rows.findManyStored({ engine: db.engine, q: db.read }, wanted)).map((file) => [file.id, file]),
      );
      // What went to a bucket by itself may be there without our having looked.
      if (blobs.direct !== undefined)
        for (const id of wanted.filter((one) => !found.has(one))) {
          const arrived = await find(id);
          if (arrived !== undefined) found.set(id, arrived);
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
