import type { Blobs } from "#storage/blobs/blobs.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Live } from "../live/live.ts";
import type { Logger } from "../lib/logger.ts";
import type { Slots } from "../lib/concurrency-limit.ts";
import { createFileUrls } from "./serving/file-urls.ts";
import { createBucketUploads } from "./uploads/bucket-uploads.ts";
import { createTransferFiles, type TransferFiles } from "./transfer-files.ts";
import { createContents, type Contents } from "./contents.ts";
import { createStoreUpload } from "./uploads/store-upload.ts";
import { createReuseBytes } from "./uploads/reuse-bytes.ts";
import { createLibrary, type Library } from "./library.ts";
import { createMentions, type Mentions } from "./mentions.ts";
import { moveFiles, type Owner } from "./move-files.ts";
import { announceFiles } from "./announce-files.ts";
import { createUploadThrottle } from "./uploads/upload-throttle.ts";
import { workspacePagesKeyOf } from "./serving/pdf/page-cache.ts";
import type { Quota } from "../quota/quota.ts";
import { createDownloads, type Downloads } from "./serving/downloads.ts";
import { removeFile } from "./cleanup/release.ts";
import * as rows from "./rows.ts";
import { createFileSweeps, type FileSweeps } from "./cleanup/sweeps.ts";
import { createThumbnails, type MakeThumbnail, type Thumbnails } from "./serving/thumbnails.ts";
import { createUploads, type Uploads } from "./uploads/uploads.ts";

/** Files that people attach to messages. */
export type Files = {
  uploads: Uploads;
  downloads: Downloads;
  thumbnails: Thumbnails;
  contents: Contents;
  transfer: TransferFiles;
  library: Library;
  mentions: Mentions;
  sweeps: FileSweeps;
  /** Moves a visitor's files to the account that they sign in to. Throws `quota-full`. */
  follow(tx: Tx, move: { from: Owner; to: Owner & { projectId: string } }): Promise<void>;
  /** Deletes a person's files and all files of the workspaces. Call it before the contents of messages are erased. */
  erase(tx: Tx, who: { projectId: string; userId: string }, workspaceIds: string[]): Promise<void>;
};

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
  slots: Slots;
  /** Whether answers are streaming now. Uploads are throttled meanwhile. */
  isStreaming: () => boolean;
  /** For one file. */
  maxBytes: number;
  quota: Quota;
  /** Whether the URLs of files expire, and messages are returned with fresh ones. */
  signedReads: boolean;
  makeThumbnail: MakeThumbnail;
}): Files {
  const { db, blobs, live, clock, logger, slots, maxBytes, quota, signedReads } = options;
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
    library: createLibrary({
      db,
      live,
      clock,
      bucketUploads,
      logger,
      usesBucket: blobs.directUploads !== undefined,
      quota,
      temporaryUrl,
    }),
    mentions: createMentions({ live, clock, urls, signed: signedReads }),
    async follow(tx, { from, to }) {
      const moved = await moveFiles(tx, from, to, clock.now());
      // Checks the quota with the moved files and threads.
      await quota.lockAndCheck(tx, { project_id: to.projectId, created_by: to.userId }, 0);
      if (moved > 0) await announceFiles(live, tx, [{ workspace_id: to.workspaceId, created_by: to.userId }]);
    },
    async erase(tx, who, workspaceIds) {
      await rows.deleteMentionsOfAuthor(tx, who);
      for (const file of await rows.lockFilesOfPerson(tx, who, workspaceIds))
        await removeFile(tx, file, clock.now());
      for (const id of workspaceIds) await rows.scheduleRemoval(tx, workspacePagesKeyOf(id), clock.now());
    },
    uploads: createUploads({
      db,
      blobs,
      clock,
      urls,
      store,
      uploadThrottle,
      slots,
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
