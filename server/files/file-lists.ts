import type { ResponseOf, QueryOf } from "#contract/api.ts";
import type { StoredFile as ShownFile } from "#contract/endpoints/files.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import { isUnsentTemporary } from "#storage/database/temporary-files.ts";
import { BlobsUnreachableError } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { StorageFullError } from "#storage/lib/errors.ts";
import { type Clock, isoTime } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { pageOf } from "../lib/page.ts";
import type { Live } from "../live/live.ts";
import type { Quota } from "../quota/quota.ts";
import type { Logger } from "../lib/logger.ts";
import type { Visitor } from "../lib/route.ts";
import type { BucketUploads } from "./uploads/bucket-uploads.ts";
import { keyOf } from "../lib/file-urls/file-urls.ts";
import * as listRows from "./file-list-rows.ts";
import { removeFile } from "./cleanup/release.ts";
import { announceFiles } from "./announce-files.ts";
import * as rows from "./rows.ts";
import { mayHaveThumbnail } from "./serving/thumbnails.ts";

/** A person's files. */
export type FileLists = {
  /** A page of the person's own files, and their used storage. Throws `bad-cursor`. */
  list(visitor: Visitor, query: QueryOf<"files.list">, base: string): Promise<ResponseOf<"files.list">>;
  /** A file of the workspace. Throws `file-not-found`, also before it is uploaded, and why its upload was refused. */
  get(visitor: Visitor, id: string, base: string): Promise<ShownFile>;
  /** Deletes the person's own file, even if messages reference it. Throws `file-not-found` and `not-allowed`. */
  remove(visitor: Visitor, id: string): Promise<void>;
};

/** How far back, and how many pending files, are looked for in the bucket before a list is returned. */
const pendingMs = 24 * 3_600_000;
const pendingMax = 20;

export function createFileLists(options: {
  db: Database;
  live: Live;
  clock: Clock;
  bucketUploads: BucketUploads;
  logger: Logger;
  /** Whether browsers upload directly to a bucket. */
  usesBucket: boolean;
  quota: Quota;
  temporaryUrl: (base: string, file: rows.FileRow) => string;
}): FileLists {
  const { db, live, clock, bucketUploads, logger, usesBucket, quota, temporaryUrl } = options;

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
      created_at: isoTime(file.created_at),
      url: temporaryUrl(base, file),
      thumbnail: mayHaveThumbnail(file),
      threads: threads.filter((each) => each.file_id === file.id).map(({ id, title }) => ({ id, title })),
      is_sent: file.claimed_at !== null,
    }));
  }

  /** If the store is unavailable or full, the list is returned without these files. */
  async function importPending(visitor: Visitor): Promise<void> {
    try {
      const pending = await listRows.pendingOf(db, visitor, clock.now() - pendingMs, pendingMax);
      await Promise.all(pending.map(async (id) => await bucketUploads.find(id)));
    } catch (error) {
      if (!(error instanceof BlobsUnreachableError || error instanceof StorageFullError)) throw error;
      logger.warn({ err: error }, "uploads in the bucket could not be imported");
    }
  }

  /** Postpones the end of a file for a temporary thread: its page still shows it. */
  async function keepUnsent(id: string): Promise<void> {
    await db.write(async (tx) => {
      const file = await rows.lockFile(tx, id);
      // Meanwhile a message may link to it.
      if (file === undefined || !isUnsentTemporary(file)) return;
      await rows.updateFile(tx, id, {
        released_at: rows.releasedAtOfTemporary(file.created_at, clock.now()),
      });
    });
  }

  return {
    async list(
      visitor,
      { q, sort = "newest", kind, thread_id: threadId, limit = limits.filePage, after },
      base,
    ) {
      if (usesBucket && after === undefined && q === undefined) await importPending(visitor);
      const from = after === undefined ? undefined : await rows.findStoredFile(db.read, after);
      if (after !== undefined && from?.workspace_id !== visitor.workspaceId) throw new AppError("bad-cursor");
      const filter = { text: q === undefined ? undefined : cleanText(q), kind, threadId };
      const found = await listRows.listFiles(db, visitor, filter, sort, from, limit + 1);
      const { page, next } = pageOf(found, limit);
      return {
        files: await present(page, base),
        next,
        used_bytes: await quota.usedBytes({ app_id: visitor.appId, created_by: visitor.userId }),
        quota_bytes: quota.totalBytes ?? null,
      };
    },

    async get(visitor, id, base) {
      // A file that the person uploaded for a thread of somebody else is in the workspace of that thread.
      const mayGet = (file: rows.FileRow | undefined): boolean =>
        file?.workspace_id === visitor.workspaceId ||
        (visitor.isInWebApp === true && file?.created_by === visitor.userId);
      if (!mayGet(await rows.findFile(db.read, id))) throw new AppError("file-not-found");
      const file = await bucketUploads.findOrThrow(id);
      if (file === undefined || !mayGet(file)) throw new AppError("file-not-found");
      if (isUnsentTemporary(file) && file.created_by === visitor.userId) await keepUnsent(file.id);
      const shown = (await present([file], base))[0]!;
      return file.workspace_id === visitor.workspaceId ? shown : { ...shown, threads: [] };
    },

    async remove(visitor, id) {
      await db.write(async (tx) => {
        const file = await rows.lockFile(tx, id);
        if (file?.workspace_id !== visitor.workspaceId) throw new AppError("file-not-found");
        if (file.created_by !== visitor.userId) throw new AppError("not-allowed");
        await removeFile(tx, file, clock.now());
        await announceFiles(live, tx, [file]);
      });
    },
  };
}
