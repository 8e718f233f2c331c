import { join } from "node:path";
import type { OnStorageChange } from "../lib/storage-path-check.ts";
import type { Blobs } from "./blobs.ts";
import { openDiskBlobs } from "./disk.ts";
import type { S3Location } from "./s3-location.ts";

/** Where this installation stores blobs. */
export type BlobLocation = { dataDir: string; s3: S3Location | undefined };

/**
 * Opens the configured store: a bucket, or the folder `files` in the data folder, which is created if it does not exist.
 * The S3 client is loaded only if it is used.
 */
export async function openBlobs({
  dataDir,
  s3,
  onStorageChange,
}: BlobLocation & { onStorageChange?: OnStorageChange }): Promise<Blobs> {
  if (s3 === undefined) return await openDiskBlobs({ folder: blobFolder(dataDir), onStorageChange });
  const { createS3Blobs } = await import("./s3.ts");
  return createS3Blobs(s3);
}

export function blobFolder(dataDir: string): string {
  return join(dataDir, "files");
}
