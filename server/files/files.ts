import type { Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/sql/database.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import { createAddresses } from "./addresses.ts";
import { createArrivals } from "./arrivals.ts";
import { createContents, type Contents } from "./contents.ts";
import { createKeepFile } from "./keep.ts";
import { createReads, type Reads } from "./reads.ts";
import { createFileSweeps, type FileSweeps } from "./sweeps.ts";
import { createUploads, type Uploads } from "./uploads.ts";

/** What people attach. */
export type Files = { uploads: Uploads; reads: Reads; contents: Contents; sweeps: FileSweeps };

export function createFiles(options: {
  db: Database;
  blobs: Blobs;
  /** The folder of the files, where they are on the disk. */
  folder: string | undefined;
  clock: Clock;
  logger: Logger;
  /** Signs addresses, and nothing else. */
  secret: string;
  /** The largest file. */
  maxBytes: number;
  /** What one person may keep; `undefined`: any amount. */
  quotaBytes: number | undefined;
}): Files {
  const { db, blobs, clock, logger, maxBytes, quotaBytes } = options;
  const addresses = createAddresses(options.secret);
  const keep = createKeepFile({ db, blobs, clock, maxBytes, quotaBytes });
  const find = createArrivals({ db, blobs, keep, logger });
  const publicUrl = addresses.lasting;
  return {
    uploads: createUploads({ db, blobs, clock, addresses, keep, maxBytes, quotaBytes, publicUrl }),
    reads: createReads({ blobs, clock, logger, addresses, find }),
    contents: createContents({ db, blobs, find }),
    sweeps: createFileSweeps({ db, blobs, folder: options.folder, clock }),
  };
}
