import type { Blobs } from "#storage/blobs/blobs.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Live } from "../live/live.ts";
import type { Logger } from "../lib/logger.ts";
import type { ConcurrencyLimiter } from "../lib/concurrency-limit.ts";
import { createFileUrls } from "../lib/file-urls/file-urls.ts";
import { createBucketUploads } from "./uploads/bucket-uploads.ts";
import { createTransferFiles } from "./transfer-files.ts";
import { createContents } from "./contents.ts";
import { createStoreUpload } from "./uploads/store-upload.ts";
import { createReuseBytes } from "./uploads/reuse-bytes.ts";
import { createFileLists } from "./file-lists.ts";
import { createFileReferences } from "./file-references.ts";
import { announceFiles } from "./announce-files.ts";
import { createUploadThrottle } from "./uploads/upload-throttle.ts";
import { workspacePagesKeyOf } from "./serving/pdf/page-cache.ts";
import type { Quota } from "../quota/quota.ts";
import { createDownloads } from "./serving/downloads.ts";
import { removeFile, removeBlob } from "./cleanup/release.ts";
import * as referenceRows from "./file-reference-rows.ts";
import { lockFilesOnlyIn } from "./file-reference-rows.ts";
import * as rows from "./rows.ts";
import { createFileSweeps } from "./cleanup/file-sweeps.ts";
import { createThumbnails, type MakeThumbnail } from "./serving/thumbnails.ts";
import { createUploads } from "./uploads/uploads.ts";

export type Files = ReturnType<typeof createFiles>;

/** Files that people attach to messages. */
export function createFiles(options: {
  db: Database;
  blobs: Blobs;
  live: Live;
  /** The folder of the blobs, if they are on a disk. */
  folder: string | undefined;
  clock: Clock;
  logger: Logger;
  /** Signs URLs, and nothing else. */
  secret: string;
  /** Limits concurrent uploads. */
  limiter: ConcurrencyLimiter;
  /** Whether answers are streaming now. Uploads are throttled meanwhile. */
  isStreaming: () => boolean;
  /** For one file. */
  maxBytes: number;
  quota: Quota;
  /** Whether the URLs of files expire, and messages are returned with fresh ones. */
  signedReads: boolean;
  makeThumbnail: MakeThumbnail;
}) {
  const { db, blobs, live, clock, logger, limiter, maxBytes, quota, signedReads } = options;
  const urls = createFileUrls(options.secret);
  const uploadThrottle = createUploadThrottle(options);
  const store = createStoreUpload({ db, blobs, live, clock, maxBytes, quota });
  const reuseBytes = createReuseBytes({ db, blobs, live, clock, quota });
  const bucketUploads = createBucketUploads({ db, blobs, store, logger });
  const { find } = bucketUploads;
  const contents = createContents({ db, blobs, find });
  // With signed reads, the permanent URL gets a signature, so that the server recognizes the file when the URL comes back.
  const temporaryUrl = (base: string, file: rows.FileRow): string => {
    const expires = clock.now() + limits.fileLinkMs;
    if (!signedReads) return urls.temporary(base, file, expires);
    return urls.permanent(base, file) + urls.signature(file.id, file.secret, expires);
  };
  const publicUrl = signedReads ? temporaryUrl : urls.permanent;
  return {
    lists: createFileLists({
      db,
      live,
      clock,
      bucketUploads,
      logger,
      usesBucket: blobs.directUploads !== undefined,
      quota,
      temporaryUrl,
    }),
    fileReferences: createFileReferences({ live, clock, urls, signed: signedReads }),
    /** Moves a visitor's files to the account that they sign in to. Throws `quota-full`. */
    async follow(tx: Tx, { from, to }: { from: Owner; to: Owner & { appId: string } }): Promise<void> {
      const moved = await moveFiles(tx, from, to, clock.now());
      // Checks the quota with the moved files and threads.
      await quota.lockAndCheck(tx, { app_id: to.appId, created_by: to.userId }, 0);
      if (moved > 0) await announceFiles(live, tx, [{ workspace_id: to.workspaceId, created_by: to.userId }]);
    },
    /** Deletes a person's files and all files of the workspaces. Call it before the contents of messages are erased. */
    async erase(tx: Tx, who: { appId: string; userId: string }, workspaceIds: string[]): Promise<void> {
      await rows.deleteFileReferencesOfAuthor(tx, who);
      for (const file of await rows.lockFilesOfPerson(tx, who, workspaceIds))
        await removeFile(tx, file, clock.now());
      for (const id of workspaceIds) await rows.scheduleRemoval(tx, workspacePagesKeyOf(id), clock.now());
    },
    /** In the transaction that erases a thread, before its messages are deleted: deletes the files that no other has. */
    async eraseThread(tx: Tx, threadId: string, nowMs: number): Promise<boolean> {
      const files = await lockFilesOnlyIn(tx, threadId);
      for (const file of files) await removeFile(tx, file, nowMs);
      await announceFiles(live, tx, files);
      return true;
    },
    uploads: createUploads({
      db,
      blobs,
      clock,
      urls,
      store,
      uploadThrottle,
      limiter,
      maxBytes,
      quota,
      publicUrl,
    }),
    downloads: createDownloads({ blobs, clock, logger, urls, find, temporaryUrl, signedReads }),
    thumbnails: createThumbnails({ db, blobs, clock, find, make: options.makeThumbnail }),
    contents,
    transfer: createTransferFiles({
      db,
      blobs,
      clock,
      contents,
      store,
      reuseBytes,
      uploadThrottle,
      maxBytes,
      quota,
    }),
    sweeps: createFileSweeps({ db, blobs, live, find, folder: options.folder, clock }),
  };
}

type Owner = { workspaceId: string; userId: string };

/**
 * Moves the files of one workspace to another person and workspace. Bytes that both have are stored once afterwards.
 * Returns how many files were moved.
 */
async function moveFiles(tx: Tx, from: Owner, to: Owner, nowMs: number): Promise<number> {
  await referenceRows.lockForMove(tx, from.workspaceId, to.workspaceId);
  for (const { toKey, ...blob } of await referenceRows.blobsInBoth(tx, from.workspaceId, to.workspaceId)) {
    // Another transaction may have deleted its last file meanwhile.
    if ((await rows.lockBlob(tx, toKey)) === undefined) continue;
    await referenceRows.replaceBlob(tx, blob.key, toKey);
    await removeBlob(tx, { ...blob, type: null }, nowMs);
  }
  return await referenceRows.moveRows(tx, from, to);
}
