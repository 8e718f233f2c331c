import type { ResponseOf, QueryOf } from "#contract/api.ts";
import type { StoredFile as ShownFile } from "#contract/endpoints/files.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import { BlobsAwayError } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { StorageFullError } from "#storage/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import type { Logger } from "../lib/logger.ts";
import type { Visitor } from "../lib/route.ts";
import type { Arrivals } from "./uploads/bucket-arrivals.ts";
import { keyOf } from "./uploads/attachment-key.ts";
import * as listRows from "./list-rows.ts";
import { releaseFile } from "./cleanup/release.ts";
import { announceFiles } from "./announce-files.ts";
import * as rows from "./rows.ts";
import { mayHaveThumbnail } from "./serving/thumbnails.ts";

/** What a person has attached. */
export type Library = {
  /** A page of the person's own files, and what they take together. Throws `bad-cursor`. */
  list(visitor: Visitor, query: QueryOf<"files.list">, base: string): Promise<ResponseOf<"files.list">>;
  /**
   * A file of the workspace. Throws `file-not-found`, also before its bytes are there, and why it was not kept where they
   * came to a bucket and are looked at now.
   */
  get(visitor: Visitor, id: string, base: string): Promise<ShownFile>;
  /**
   * Deletes a file of one's own, whatever speaks of it. Throws `file-not-found`, and `not-allowed` for a colleague's.
   */
  remove(visitor: Visitor, id: string): Promise<void>;
};

/** What may have come to a bucket and was not asked for yet is looked for this far back, and no more of it. */
const awaitedMs = 24 * 3_600_000;
const awaitedMax = 20;

export function createLibrary(options: {
  db: Database;
  live: Live;
  clock: Clock;
  arrivals: Arrivals;
  logger: Logger;
  /** Whether files may come without our seeing it. */
  comeUnseen: boolean;
  quotaBytes: number | undefined;
  /** An address that opens the file for a while. */
  address: (base: string, file: rows.FileRow) => string;
}): Library {
  const { db, live, clock, arrivals, logger, comeUnseen, quotaBytes, address } = options;

  async function present(files: rows.StoredFile[], base: string): Promise<ShownFile[]> {
    const threads = await listRows.threadsOf(
      db,
      files.map(({ id }) => id),
    );
    return files.map((file) => ({
      id: file.id,
      key: keyOf(file),
      name: file.name,
      type: file.type,
      size_bytes: file.size_bytes,
      created_at: new Date(file.created_at).toISOString(),
      url: address(base, file),
      thumbnail: mayHaveThumbnail(file),
      threads: threads.filter((each) => each.file_id === file.id).map(({ id, title }) => ({ id, title })),
    }));
  }

  /** Where the store is away or full, what is known is listed all the same; the rest is taken in the next time. */
  async function takeInAwaited(visitor: Visitor): Promise<void> {
    try {
      const awaited = await listRows.awaitedOf(db, visitor, clock.now() - awaitedMs, awaitedMax);
      await Promise.all(awaited.map(async (id) => await arrivals.find(id)));
    } catch (error) {
      if (!(error instanceof BlobsAwayError || error instanceof StorageFullError)) throw error;
      logger.warn({ err: error }, "what may have come to the bucket could not be looked for");
    }
  }

  return {
    async list(
      visitor,
      { q, sort = "newest", kind, thread_id: threadId, limit = limits.filePage, after },
      base,
    ) {
      if (comeUnseen && after === undefined && q === undefined) await takeInAwaited(visitor);
      const from = after === undefined ? undefined : await listRows.findListed(db.read, after);
      if (after !== undefined && from?.workspace_id !== visitor.workspaceId) throw new AppError("bad-cursor");
      const filter = { words: q === undefined ? undefined : cleanText(q), kind, threadId };
      const page = await listRows.listFiles(db, visitor, filter, sort, from, limit + 1);
      return {
        files: await present(page.slice(0, limit), base),
        next: page.length > limit ? page[limit - 1]!.id : null,
        used_bytes: (await rows.used(db.read, visitor.projectId, visitor.userId)).bytes,
        quota_bytes: quotaBytes ?? null,
      };
    },

    async get(visitor, id, base) {
      const promised = await rows.findFile(db.read, id);
      if (promised?.workspace_id !== visitor.workspaceId) throw new AppError("file-not-found");
      const file = await arrivals.await(id);
      if (file?.workspace_id !== visitor.workspaceId) throw new AppError("file-not-found");
      return (await present([file], base))[0]!;
    },

    async remove(visitor, id) {
      await db.write(async (tx) => {
        const file = await rows.holdFile(tx, id);
        if (file?.workspace_id !== visitor.workspaceId) throw new AppError("file-not-found");
        if (file.created_by !== visitor.userId) throw new AppError("not-allowed");
        await releaseFile(tx, file, clock.now());
        await announceFiles(live, tx, [file]);
      });
    },
  };
}
