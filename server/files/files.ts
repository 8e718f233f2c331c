import type { Blobs } from "#storage/blobs/blobs.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Live } from "../live/live.ts";
import type { Logger } from "../lib/logger.ts";
import type { Slots } from "../lib/concurrency-limit.ts";
import { createAddresses } from "./serving/addresses.ts";
import { createArrivals } from "./uploads/bucket-arrivals.ts";
import { createCarriedFiles, type CarriedFiles } from "./transfer-files.ts";
import { createContents, type Contents } from "./contents.ts";
import { createKeepFile } from "./uploads/store-upload.ts";
import { createKeepSame } from "./uploads/reuse-bytes.ts";
import { createLibrary, type Library } from "./library.ts";
import { createMentions, type Mentions } from "./mentions.ts";
import { moveFiles, type Owner } from "./move-files.ts";
import { announceFiles } from "./announce-files.ts";
import { createPassage } from "./uploads/upload-throttle.ts";
import { drawingsKeyOf } from "./serving/pdf/page-cache.ts";
import { createQuota } from "./uploads/quota.ts";
import { createReads, type Reads } from "./serving/reads.ts";
import { releaseFile } from "./cleanup/release.ts";
import * as rows from "./rows.ts";
import { createFileSweeps, type FileSweeps } from "./cleanup/sweeps.ts";
import { createThumbnails, type MakeThumbnail, type Thumbnails } from "./serving/thumbnails.ts";
import { createUploads, type Uploads } from "./uploads/uploads.ts";

/** What people attach. */
export type Files = {
  uploads: Uploads;
  reads: Reads;
  thumbnails: Thumbnails;
  contents: Contents;
  carried: CarriedFiles;
  library: Library;
  mentions: Mentions;
  sweeps: FileSweeps;
  /** In the transaction of a claim: the visitor's files come along. Throws `quota-full` where they have no room. */
  follow(tx: Tx, move: { from: Owner; to: Owner & { projectId: string } }): Promise<void>;
  /** In the transaction of an erasure, before words are taken out of messages: the person's files, and all of their workspaces. */
  erase(tx: Tx, who: { projectId: string; userId: string }, workspaceIds: string[]): Promise<void>;
};

export function createFiles(options: {
  db: Database;
  blobs: Blobs;
  live: Live;
  /** The folder of the files, where they are on the disk. */
  folder: string | undefined;
  clock: Clock;
  logger: Logger;
  /** Signs addresses, and nothing else. */
  secret: string;
  /** The places for uploads on their way. */
  slots: Slots;
  /** Whether answers are being written now: files on their way leave them room. */
  answering: () => boolean;
  /** The largest file. */
  maxBytes: number;
  /** What one person may keep; `undefined`: any amount. */
  quotaBytes: number | undefined;
  /** Whether a file's address opens it for a while only, and every message is shown with fresh ones. */
  signedReads: boolean;
  makeThumbnail: MakeThumbnail;
}): Files {
  const { db, blobs, live, clock, logger, slots, maxBytes, quotaBytes, signedReads } = options;
  const quota = createQuota({ db, quotaBytes });
  const addresses = createAddresses(options.secret);
  const passage = createPassage(options);
  const keep = createKeepFile({ db, blobs, live, clock, maxBytes, quota });
  const keepSame = createKeepSame({ db, blobs, live, clock, quota });
  const arrivals = createArrivals({ db, blobs, keep, logger });
  const { find } = arrivals;
  const contents = createContents({ db, blobs, find });
  // Where reads are signed, what is signed is the file's own address: it can be told from it when it comes back.
  const address = (base: string, file: rows.FileRow): string => {
    const expires = clock.now() + limits.fileLinkMs;
    if (!signedReads) return addresses.passing(base, file, expires);
    return addresses.lasting(base, file) + addresses.signature(file.id, file.secret, expires);
  };
  const publicUrl = signedReads ? address : addresses.lasting;
  return {
    library: createLibrary({
      db,
      live,
      clock,
      arrivals,
      logger,
      comeUnseen: blobs.direct !== undefined,
      quotaBytes,
      address,
    }),
    mentions: createMentions({ live, clock, addresses, signed: signedReads }),
    async follow(tx, { from, to }) {
      if ((await moveFiles(tx, from, to, clock.now())) === 0) return;
      // With what came along, which has no room of its own any more.
      await quota.hold(tx, { project_id: to.projectId, created_by: to.userId }, 0);
      await announceFiles(live, tx, [{ workspace_id: to.workspaceId, created_by: to.userId }]);
    },
    async erase(tx, who, workspaceIds) {
      await rows.deleteClaimsOfWriter(tx, who);
      for (const file of await rows.holdOfPerson(tx, who, workspaceIds))
        await releaseFile(tx, file, clock.now());
      for (const id of workspaceIds) await rows.noteRemoval(tx, drawingsKeyOf(id), clock.now());
    },
    uploads: createUploads({ db, blobs, clock, addresses, keep, passage, slots, maxBytes, quota, publicUrl }),
    reads: createReads({ blobs, clock, logger, addresses, find, address, signedReads }),
    thumbnails: createThumbnails({ db, blobs, clock, find, make: options.makeThumbnail }),
    contents,
    carried: createCarriedFiles({
      db,
      blobs,
      clock,
      contents,
      keep,
      keepSame,
      passage,
      maxBytes,
      quota,
    }),
    sweeps: createFileSweeps({ db, blobs, live, find, folder: options.folder, clock }),
  };
}
