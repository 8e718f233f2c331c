import { stat } from "node:fs/promises";
import { BlobsUnreachableError, type Blobs } from "../blobs/blobs.ts";
import { openDiskBlobs } from "../blobs/disk.ts";
import type { S3Location } from "../blobs/s3-location.ts";
import type { ArchiveSource } from "./archive.ts";
import { decrypt } from "./encryption.ts";

/** Where encrypted backups are: a folder or a bucket. */
export type BackupTarget = { folder: string } | { s3: S3Location };

/** A backup in a target. `installation` made it. */
export type StoredBackup = { name: string; installation: string; madeAtMs: number; sizeBytes: number };

const namePattern = /^parlance-([a-z0-9]{8})-(\d{4})(\d\d)(\d\d)t(\d\d)(\d\d)(\d\d)(\d{3})z\.age$/;

export function newBackupName(installation: string, nowMs: number): string {
  return `parlance-${installation}-${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, "").toLowerCase()}.age`;
}

/** Opens a target. Throws `BlobsUnreachableError`; the folder must exist, because its disk may not be mounted. */
export async function openTarget(target: BackupTarget): Promise<Blobs> {
  if ("s3" in target) {
    const { createS3Blobs } = await import("../blobs/s3.ts");
    return createS3Blobs(target.s3);
  }
  const found = await stat(target.folder).catch((cause: NodeJS.ErrnoException) => {
    throw new BlobsUnreachableError(
      cause.code === "ENOENT"
        ? `There is no folder ${target.folder}. Create it, or mount its disk.`
        : `The folder ${target.folder} cannot be used (${cause.code}).`,
      { cause },
    );
  });
  if (!found.isDirectory()) throw new BlobsUnreachableError(`${target.folder} is not a folder.`);
  return await openDiskBlobs({ folder: target.folder });
}

/** In a bucket, other objects may be beside them. */
export function keyOf(store: Blobs, name: string): string {
  return store.kind === "s3" ? `backups/${name}` : name;
}

/** The backups in a target, the newest first. Throws `BlobsUnreachableError`. */
export async function listBackups(store: Blobs): Promise<StoredBackup[]> {
  const found: StoredBackup[] = [];
  for await (const { key, sizeBytes } of store.list(keyOf(store, "parlance-"))) {
    const name = key.slice(keyOf(store, "").length);
    const madeAtMs = timeOf(name);
    if (madeAtMs === undefined) continue;
    found.push({ name, installation: namePattern.exec(name)![1]!, madeAtMs, sizeBytes });
  }
  return found.toSorted((a, b) => b.madeAtMs - a.madeAtMs);
}

function timeOf(name: string): number | undefined {
  const [, , year, month, day, hours, minutes, seconds, ms] = namePattern.exec(name) ?? [];
  if (year === undefined) return undefined;
  const madeAtMs = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${ms}Z`);
  return Number.isNaN(madeAtMs) ? undefined : madeAtMs;
}

/** An encrypted backup in a target as an archive. */
export function storedArchive(store: Blobs, name: string, passphrase: string): ArchiveSource {
  return { name, open: () => decrypt(bytesOf(store, name), passphrase, name) };
}

async function* bytesOf(store: Blobs, name: string): AsyncGenerator<Uint8Array> {
  yield* (await store.read(keyOf(store, name))) as AsyncIterable<Uint8Array>;
}
