import { createHash } from "node:crypto";
import { blobFolder, openBlobs } from "#storage/blobs/open.ts";
import { checkCors } from "#storage/blobs/s3-cors.ts";
import { deriveSecret } from "../sign-in/secrets.ts";
import { createGuardedFetch } from "../fetch/guarded-fetch.ts";
import { createFiles } from "../files/files.ts";
import { createPagePictures } from "../files/serving/pdf/page-pictures.ts";
import { createPdf } from "../pdf/pdf.ts";
import type { Live } from "../live/live.ts";
import type { Leases } from "../runs/leases/leases.ts";
import { createThumbnailMaker } from "../extraction/pictures/thumbnail-maker.ts";
import { createConcurrencyLimiter } from "../lib/concurrency-limit.ts";
import { logStorageChanges } from "../lib/storage-state.ts";
import type { Dependencies } from "./dependencies.ts";

/** The modules of attached files: storage, PDF pages and thumbnails. */
export async function composeFiles(
  { config, logger, clock, db, quota, secret }: Dependencies,
  { live, leases }: { live: Live; leases: Leases },
) {
  const { s3 } = config.files;
  const blobs = await openBlobs({
    dataDir: config.dataDir,
    s3,
    onStorageChange: logStorageChanges(logger, "files"),
  });
  const thumbnailMaker = createThumbnailMaker({ logger, clock });
  const files = createFiles({
    db,
    blobs,
    live,
    folder: s3 === undefined ? blobFolder(config.dataDir) : undefined,
    clock,
    logger,
    secret: deriveSecret(secret, "addresses of files"),
    makeThumbnail: thumbnailMaker.make,
    limiter: createConcurrencyLimiter("too-many-uploads", config.concurrency.uploads),
    isStreaming: leases.anyHeld,
    quota,
    ...config.files,
  });
  if (s3 !== undefined && config.publicUrl !== undefined) {
    const checked = checkCors(s3, new URL(config.publicUrl).origin);
    void checked.then((problem) => problem && logger.warn(`${problem.about}. ${problem.remedy}`));
  }
  const pdf = createPdf({ logger, processes: config.pdf.processes });
  const pages = createPagePictures({
    db,
    pdf,
    blobs,
    downloads: files.downloads,
    contents: files.contents,
    guardedFetch: createGuardedFetch({ logger, ...config.fetch }),
    clock,
    secret: deriveSecret(secret, "addresses of pages"),
    cacheBytes: config.pdf.cacheBytes,
  });
  return {
    files,
    pdf,
    pages,
    problem: blobs.problem,
    /** Makes a small WebP of a picture; `undefined` if the bytes are none. Throws `maintenance`. */
    shrinkPicture: async (bytes: Uint8Array) =>
      await thumbnailMaker.make(createHash("sha256").update(bytes).digest("hex"), async () => bytes),
    /** Throws if a bucket does not answer. */
    async reachStore() {
      // Lists keys with a prefix that none has, because HEAD of a key cannot tell a missing bucket from a missing key.
      if (blobs.kind === "s3") for await (const _ of blobs.list("readyz/")) break;
    },
    close() {
      blobs.close();
      pdf.close();
      thumbnailMaker.close();
    },
  };
}
