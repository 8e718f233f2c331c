import { randomUUID } from "node:crypto";
import { closeSync, createReadStream, openSync } from "node:fs";
import { mkdir, open, opendir, rename, rm, rmdir, stat, type FileHandle } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Readable } from "node:stream";
import { createPlaceCheck, type OnStorageChange } from "../in-place.ts";
import { StorageFullError } from "../errors.ts";
import { BlobMissingError, BlobsAwayError, BlobsUnavailableError, checkKey, type Blobs } from "./blobs.ts";
import { writeNewFile } from "./new-file.ts";

/** Where bytes are before they are whole: on the same disk, so that they can be renamed, and listed by nobody. */
const unfinishedFolder = ".unfinished";
/** 256 KiB at once: fewer calls for large files, and still little memory for each reader. */
const pieceBytes = 256 * 1024;

/** Each of them needs somebody who empties the folder in the very moment between two calls. */
const folderTries = 10;

/** What this process is writing: nobody here clears it away, whatever the clocks say. */
const beingWritten = new Set<string>();

/**
 * Blobs in a folder, which several processes may share. Each is written to a file of its own first, put on the disk,
 * and renamed: whoever finds it finds all of it.
 *
 * The folder is made here where there is none, and never again: a folder that goes missing later is a mistake or comes
 * back, and a new one in its place would hide that.
 */
export async function openDiskBlobs({
  folder,
  onStorageChange,
}: {
  folder: string;
  onStorageChange?: OnStorageChange | undefined;
}): Promise<Blobs> {
  await makeRoot(folder).catch((error: unknown) => {
    throw diskError(error);
  });
  // Held open, so that no other folder gets its inode. Windows opens no folders.
  let held = process.platform === "win32" ? undefined : openSync(folder, "r");
  const problem = createPlaceCheck({ paths: [folder], folder, onChange: onStorageChange });

  function assertWritable(): void {
    const found = problem();
    if (found !== undefined) throw new BlobsUnavailableError(found);
  }

  /** What is not there while the folder is away is not lost. */
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

    async put(key, bytes, { signal, givenAway }) {
      const path = pathOf(key);
      const unfinished = join(folder, unfinishedFolder, randomUUID());
      beingWritten.add(unfinished);
      try {
        assertWritable();
        await makeFolder(folder, dirname(unfinished));
        const size = await writeNewFile(unfinished, bytes, { signal, givenAway });
        await moveInto(folder, path, unfinished);
        assertInPlace();
        return size;
      } catch (error) {
        await rm(unfinished, { force: true }).catch(() => {});
        if (isAbsent(error)) assertInPlace();
        throw diskError(error);
      } finally {
        beingWritten.delete(unfinished);
      }
    },

    async size(key) {
      try {
        return (await stat(pathOf(key))).size;
      } catch (error) {
        if (!isAbsent(error)) throw diskError(error);
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
        if (!isAbsent(error)) throw diskError(error);
        assertInPlace();
        throw new BlobMissingError(key, { cause: error });
      }
      // Opened before it is answered: who removes it from now on takes nothing from this reader.
      return createReadStream(path, {
        fd: file,
        highWaterMark: pieceBytes,
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
        throw diskError(error);
      }
      // Fails where something is still in it, which is well; an empty one that stays harms nobody.
      if (hasOwnFolder(key)) await rmdir(dirname(path)).catch(() => {});
    },

    async *list(prefix) {
      // What is beside its folder may be a million files.
      for await (const path of filesBelow(join(folder, dirname(`${prefix}.`)))) {
        const key = relative(folder, path).split(sep).join("/");
        if (!key.startsWith(prefix)) continue;
        const found = await stat(path).catch(() => undefined);
        if (found !== undefined) yield { key, sizeBytes: found.size, changedAtMs: found.mtimeMs };
      }
    },

    problem,

    close() {
      if (held === undefined) return;
      // A second close would close whatever file has this number by then.
      closeSync(held);
      held = undefined;
    },
  };
}

/** Takes away what processes that died left unfinished before `beforeMs`. Answers how many there were. */
export async function clearUnfinished(folder: string, beforeMs: number): Promise<number> {
  let count = 0;
  for await (const path of filesIn(join(folder, unfinishedFolder))) {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || found.mtimeMs >= beforeMs || beingWritten.has(path)) continue;
    await rm(path, { force: true });
    count += 1;
  }
  return count;
}

/**
 * Whether it is in a folder of one thing alone, such as `pages/ab/<drawing>/`: there are as many of those as things, and
 * few above them.
 */
function hasOwnFolder(key: string): boolean {
  return key.split("/").length > 3;
}

/** Where the folder goes in between, with the last that another took out of it, it is made again. */
async function moveInto(root: string, path: string, unfinished: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Also fails where it finds the folder there, and then looks at it too late.
      await makeFolder(root, dirname(path));
      await rename(unfinished, path);
      break;
    } catch (error) {
      if (attempt === folderTries || !isAbsent(error)) throw error;
    }
  }
  await syncFolder(dirname(path)).catch((error: unknown) => {
    // Taken away again by now, and its folder with it: nothing is left to be kept.
    if (!isAbsent(error)) throw error;
  });
}

/** Makes the folders from below `root` down to `path`, each put on the disk in the one that it is in. */
async function makeFolder(root: string, path: string): Promise<void> {
  if (path === root) return;
  const make = async () => await mkdir(path, { mode: 0o700 });
  try {
    await make().catch(async (error: unknown) => {
      if (!isAbsent(error)) throw error;
      await makeFolder(root, dirname(path));
      await make();
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  await syncFolder(dirname(path));
}

/** The same for the root, with whatever is missing above it. */
async function makeRoot(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** A rename is kept when its folder is. Windows opens no folders, and keeps them by itself. */
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
  const entries = await opendir(folder).catch(absent);
  if (entries === undefined) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== unfinishedFolder) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(absent);
  if (entries === undefined) return;
  for await (const entry of entries) if (entry.isFile()) yield join(folder, entry.name);
}

function absent(error: unknown): undefined {
  if (isAbsent(error)) return undefined;
  throw diskError(error);
}

function isAbsent(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
}

const full = ["ENOSPC", "EDQUOT", "EFBIG"];

/** Whether a disk had no room, or the user none on it. */
export function isFullDisk(error: unknown): boolean {
  return full.includes((error as NodeJS.ErrnoException).code ?? "");
}

const away = ["EACCES", "EPERM", "EROFS", "EIO", "EMFILE", "ENFILE", "ESTALE", "ENOTCONN", "EBUSY"];

/** Born here, what the system calls it; nobody above knows what a disk is. */
function diskError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (isFullDisk(error))
    return new StorageFullError("The disk of the files is full; nothing of this one was kept.", {
      cause: error,
    });
  if (away.includes(code))
    return new BlobsAwayError(`The folder of the files cannot be used (${code}).`, { cause: error });
  return error;
}
