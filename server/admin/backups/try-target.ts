import { randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import {
  keyOf,
  listBackups,
  openTarget,
  type BackupTarget,
  type StoredBackup,
} from "#storage/backup/target.ts";
import { BlobMissingError, BlobsUnreachableError } from "#storage/blobs/blobs.ts";
import { StorageFullError } from "#storage/lib/errors.ts";
import { AppError } from "#server/lib/errors.ts";

/** Writes a small file to the target, reads it back and removes it. Throws `backup-target-refused`, which says why. */
export async function tryTarget(target: BackupTarget): Promise<void> {
  await refusing(async () => {
    const store = await openTarget(target);
    const key = keyOf(store, `try-${randomUUID()}`);
    const bytes = Buffer.from("Parlance tries whether it can keep backups here.");
    try {
      await store.put(key, once(bytes), { sizeBytes: bytes.length });
      const back = await buffer(await store.read(key));
      if (!back.equals(bytes)) throw new BlobsUnreachableError("It returned other bytes than it was given.");
      await store.remove(key);
    } finally {
      store.close();
    }
  });
}

/** The backups in a target, the newest first. Throws `backup-target-refused`. */
export async function listTarget(target: BackupTarget): Promise<StoredBackup[]> {
  return await refusing(async () => {
    const store = await openTarget(target);
    try {
      return await listBackups(store);
    } finally {
      store.close();
    }
  });
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const isExpected = [BlobsUnreachableError, BlobMissingError, StorageFullError].some(
      (kind) => cause instanceof kind,
    );
    if (!isExpected) throw cause;
    const details = [{ path: "body.target", message: (cause as Error).message }];
    throw new AppError("backup-target-refused", { cause, details });
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
