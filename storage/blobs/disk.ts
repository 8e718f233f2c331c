import { randomUUID } from "node:crypto";
import { closeSync, createReadStream, openSync } from "node:fs";
import { mkdir, open, opendir, rename, rm, rmdir, stat, type FileHandle } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Readable } from "node:stream";
import { createStoragePathCheck, type OnStorageChange } from "../lib/storage-path-check.ts";
import { StorageFullError } from "../lib/errors.ts";
import { makeFolder } from "../lib/make-folder.ts";
import {
  BlobMissingError,
  BlobsUnreachableError,
  BlobsUnavailableError,
  checkKey,
  type Blobs,
} from "./blobs.ts";
import { writeNewFile } from "./new-file.ts";

/** For incomplete files: on the same disk, so that they can be renamed, and never listed. */
const unfinishedFolder = ".unfinished";
/** Few calls for large files, and little memory for each reader. */
const chunkBytes = 256 * 1024;

/** Each retry means that another process deleted the folder between two calls. */
const folderAttemptsMax = 10;

/** 5 min: nobody has written to the file for so long. */
const abandonedMs = 5 * 60_000;

/** Files that this process is writing, which must not be cleaned up. */
const beingWritten = new Set<string>();

/**
 * Blobs in a folder, which several processes may share. Each is written to a temporary file, synced and renamed, so
 * that readers only find complete blobs.
 *
 * The folder is created here, but not again if it disappears later. That is a mistake of the operator or temporary, and
 * a new folder would hide it.
 */
export async function openDiskBlobs({
  folder,
  onStorageChange,
}: {
  folder: string;
  onStorageChange?: OnStorageChange | undefined;
}): Promise<Blobs> {
  await createRoot(folder).catch((error: unknown) => {
    throw translateError(error);
  });
  // Kept open, so that no other folder gets its inode. Windows cannot open folders.
  let openFolder = process.platform === "win32" ? undefined : openSync(folder, "r");
  const problem = createStoragePathCheck({ paths: [folder], folder, onChange: onStorageChange });

  function assertWritable(): void {
    const found = problem();
    if (found !== undefined) throw new BlobsUnavailableError(found);
  }

  /** Files that are missing while the folder is missing are not lost. */
  function assertInPlace(): void {
    const found = problem();
    if (found !== undefined && found.problem !== "read-only") throw new BlobsUnavailableError(found);
  }

  const pathOf = (key: string): string => {
    checkKey(key);
    return join(folder, ...key.split("/"));
  };

  return {
    kind: "disk",

    async put(key, bytes, { signal, freeChunks }) {
      const path = pathOf(key);
      const unfinished = join(folder, unfinishedFolder, randomUUID());
      beingWritten.add(unfinished);
      try {
        assertWritable();
        await createFolder(folder, dirname(unfinished));
        const size = await writeNewFile(unfinished, bytes, { signal, freeChunks });
        await moveInto(folder, path, unfinished);
        assertInPlace();
        return size;
      } catch (error) {
        await rm(unfinished, { force: true }).catch(() => {});
        if (isAbsent(error)) assertInPlace();
        throw translateError(error);
      } finally {
        beingWritten.delete(unfinished);
      }
    },

    async size(key) {
      try {
        return (await stat(pathOf(key))).size;
      } catch (error) {
        if (!isAbsent(error)) throw translateError(error);
        assertInPlace();
        return undefined;
      }
    },

    async read(key, { range, signal } = {}) {
      const path = pathOf(key);
      let file: FileHandle;
      try {
        file = await open(path, "r");
      } catch (error) {
        if (!isAbsent(error)) throw translateError(error);
        assertInPlace();
        throw new BlobMissingError(key, { cause: error });
      }
      // Opened before returning, so that a later deletion does not affect this reader.
      return createReadStream(path, {
        fd: file,
        highWaterMark: chunkBytes,
        ...range,
        ...(signal === undefined ? {} : { signal }),
      }) satisfies Readable;
    },

    async remove(key) {
      const path = pathOf(key);
      assertWritable();
      try {
        await rm(path, { force: true });
      } catch (error) {
        throw translateError(error);
      }
      // Fails if the folder is not empty, which is fine, and an empty folder does no harm.
      if (hasOwnFolder(key)) await rmdir(dirname(path)).catch(() => {});
    },

    async *list(prefix) {
      // Only the folder of the prefix, because there may be a million files beside it.
      for await (const path of filesBelow(join(folder, dirname(`${prefix}.`)))) {
        const key = relative(folder, path).split(sep).join("/");
        if (!key.startsWith(prefix)) continue;
        const found = await stat(path).catch(() => undefined);
        if (found !== undefined) yield { key, sizeBytes: found.size, changedAtMs: found.mtimeMs };
      }
    },

    removeUnfinished: async () => void (await deleteUnfinished(folder, Date.now() - abandonedMs)),

    problem,

    close() {
      if (openFolder === undefined) return;
      // A second close could close another file that has the same number by then.
      closeSync(openFolder);
      openFolder = undefined;
    },
  };
}

/** Deletes incomplete files from before `beforeMs`, which crashed processes left behind. Returns their number. */
export async function deleteUnfinished(folder: string, beforeMs: number): Promise<number> {
  let count = 0;
  for await (const path of filesIn(join(folder, unfinishedFolder))) {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || found.mtimeMs >= beforeMs || beingWritten.has(path)) continue;
    await rm(path, { force: true });
    count += 1;
  }
  return count;
}

/** Whether the blob's folder is for one thing only, such as `pages/ab/<rendering>/`, and should be deleted with it. */
function hasOwnFolder(key: string): boolean {
  return key.split("/").length > 3;
}

/** Renames a file to its final path. Creates the folder again if another process deletes it meanwhile. */
async function moveInto(root: string, path: string, unfinished: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      // This may also fail if the folder is deleted just after it was found.
      await createFolder(root, dirname(path));
      await rename(unfinished, path);
      break;
    } catch (error) {
      if (attempt === folderAttemptsMax || !isAbsent(error)) throw error;
    }
  }
  await syncFolder(dirname(path)).catch((error: unknown) => {
    // The blob and its folder were deleted meanwhile.
    if (!isAbsent(error)) throw error;
  });
}

/** Creates the folders from below `root` down to `path`, and syncs the parent of each. */
async function createFolder(root: string, path: string): Promise<void> {
  if (path === root) return;
  const create = async () => await mkdir(path, { mode: 0o700 });
  try {
    await create().catch(async (error: unknown) => {
      if (!isAbsent(error)) throw error;
      await createFolder(root, dirname(path));
      await create();
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Creates the root with its missing parents, and syncs them. */
async function createRoot(path: string): Promise<void> {
  const first = await makeFolder(path);
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Makes a rename durable. Windows cannot open folders, and needs no sync. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(ignoreAbsent);
  if (entries === undefined) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== unfinishedFolder) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(ignoreAbsent);
  if (entries === undefined) return;
  for await (const entry of entries) if (entry.isFile()) yield join(folder, entry.name);
}

function ignoreAbsent(error: unknown): undefined {
  if (isAbsent(error)) return undefined;
  throw translateError(error);
}

function isAbsent(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
}

const fullCodes = ["ENOSPC", "EDQUOT", "EFBIG"];

/** Whether the disk or the user's quota is full. */
export function isFullDisk(error: unknown): boolean {
  return fullCodes.includes((error as NodeJS.ErrnoException).code ?? "");
}

const unavailableCodes = [
  "EACCES",
  "EPERM",
  "EROFS",
  "EIO",
  "EMFILE",
  "ENFILE",
  "ESTALE",
  "ENOTCONN",
  "EBUSY",
];

/** Translates errors of the file system. */
function translateError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (isFullDisk(error))
    return new StorageFullError("The disk of the files is full. The file was not stored.", {
      cause: error,
    });
  if (unavailableCodes.includes(code))
    return new BlobsUnreachableError(`The folder of the files cannot be used (${code}).`, { cause: error });
  return error;
}
