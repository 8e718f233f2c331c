import type { Blobs } from "../blobs/blobs.ts";
import { ArchiveError, packArchive, verifyArchive, type ArchiveLine, type Contents } from "./archive.ts";
import { backUp } from "./backup.ts";
import { encrypt } from "./encryption.ts";
import type { BackupFile } from "./insert-backup.ts";
import type { BackupPlace } from "./snapshot.ts";
import { keyOf, listBackups, newBackupName, openTarget, storedArchive, type BackupTarget } from "./target.ts";

type Options = {
  place: BackupPlace;
  target: BackupTarget;
  /** Names this installation in the target, which others may use too. */
  installation: string;
  passphrase: string;
  files: BackupFile[];
  /** The store of attached files. */
  blobs: Blobs;
  keepDays: number;
  version: string;
  nowMs: number;
  signal: AbortSignal;
};

export type MadeBackup = {
  name: string;
  sizeBytes: number;
  contents: Contents;
  /** The keys of files whose bytes have changed since they were stored. If there are some, no older backup is removed. */
  damaged: string[];
  /** The names of older backups that were removed. */
  removed: string[];
};

/** What the target returned is not what it was given. */
export class TargetDamagedError extends Error {
  override readonly name = "TargetDamagedError";
}

const dayMs = 86_400_000;

/**
 * Writes an encrypted backup with all secrets to the target, reads it back to its end, and then removes this installation's
 * backups that are older than `keepDays`. If anything fails, the target has no new backup, and no older one was removed.
 * Throws `TargetDamagedError`, `BlobsUnreachableError`, `StorageFullError` and what `backUp` throws.
 */
export async function makeBackup(options: Options): Promise<MadeBackup> {
  const { target, installation, passphrase, keepDays, nowMs, signal } = options;
  const store = await openTarget(target);
  try {
    await store.removeUnfinished(keyOf(store, `parlance-${installation}-`));
    const name = newBackupName(installation, nowMs);
    const damaged: string[] = [];
    let sizeBytes = 0;
    const write = async (lines: AsyncIterable<ArchiveLine>): Promise<Contents> => {
      let contents: Contents;
      const packed = packArchive(lines, (all) => (contents = all));
      sizeBytes = await store.put(keyOf(store, name), encrypt(packed, passphrase), { inParts: true, signal });
      return contents!;
    };
    const contents = await backUp({
      place: options.place,
      path: write,
      withSecrets: true,
      files: options.files,
      version: options.version,
      nowMs,
      blobs: {
        store: options.blobs,
        problems: { missing: () => {}, damaged: (key) => void damaged.push(key) },
      },
    });
    try {
      await check(store, { name, sizeBytes, contents, passphrase, signal });
    } catch (error) {
      await store.remove(keyOf(store, name)).catch(() => {});
      throw error;
    }
    const old = damaged.length > 0 ? [] : await removeOld(store, { name, installation, keepDays, nowMs });
    return { name, sizeBytes, contents, damaged, removed: old };
  } finally {
    store.close();
  }
}

/** Reads a new backup back. Throws unless the target has exactly what was written. */
async function check(
  store: Blobs,
  written: { name: string; sizeBytes: number; contents: Contents; passphrase: string; signal: AbortSignal },
): Promise<void> {
  const { name, sizeBytes, contents, passphrase, signal } = written;
  const size = await store.size(keyOf(store, name));
  if (size !== sizeBytes)
    throw new TargetDamagedError(`The target has ${size ?? 0} of the ${sizeBytes} bytes of the backup.`);
  let read: Contents;
  try {
    read = await verifyArchive(storedArchive(store, name, passphrase), () => signal.throwIfAborted());
  } catch (cause) {
    if (!(cause instanceof ArchiveError)) throw cause;
    throw new TargetDamagedError(`The target returned other bytes than it was given. ${cause.message}`, {
      cause,
    });
  }
  if (JSON.stringify(read) !== JSON.stringify(contents))
    throw new TargetDamagedError("The target returned another backup than it was given.");
}

async function removeOld(
  store: Blobs,
  {
    name,
    installation,
    keepDays,
    nowMs,
  }: Pick<Options, "installation" | "keepDays" | "nowMs"> & { name: string },
): Promise<string[]> {
  const removed: string[] = [];
  for (const each of await listBackups(store)) {
    const isOld = each.madeAtMs < nowMs - keepDays * dayMs;
    if (each.installation !== installation || each.name === name || !isOld) continue;
    await store.remove(keyOf(store, each.name));
    removed.push(each.name);
  }
  return removed;
}
