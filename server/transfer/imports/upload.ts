import { open, readdir, rm, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "#contract/ids.ts";
import { StorageFullError } from "#storage/lib/errors.ts";
import { makeFolder } from "#storage/lib/make-folder.ts";
import { AppError } from "#server/lib/errors.ts";

/** An uploaded file on the disk. It is deleted when it is closed or its process ends. */
export type Upload = {
  sizeBytes: number;
  fd: number;
  /** Where it begins in the file of `fd`: 0, except for a part of a file. */
  startAt: number;
  /** The path of a file that a child process has to open: of a database, and of a file that was there before. */
  path?: string;
  /** The bytes from `start` to before `end`. */
  read(start?: number, end?: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
};

const folderName = "incoming";
/** What a SQLite database begins with. */
export const sqliteMagic: Buffer = Buffer.from("SQLite format 3\0");
/** No upload takes a day. */
const leftOverMs = 24 * 3_600_000;
const readBytes = 256 * 1024;

/** Writes `chunks` to a temporary file in `dataDir`. Throws `too-large` and `StorageFullError`. */
export async function receive(
  chunks: AsyncIterable<Uint8Array>,
  { dataDir, bytesMax }: { dataDir: string; bytesMax: number },
): Promise<Upload> {
  const path = await newUploadPath(dataDir);
  const file = await open(path, "wx+", 0o600);
  try {
    let sizeBytes = 0;
    let isNamed = true;
    for await (const chunk of chunks) {
      // Without a name, the file is deleted when the process ends, however it ends.
      if (sizeBytes === 0 && chunk.length > 0 && !sqliteMagic.equals(chunk.subarray(0, sqliteMagic.length))) {
        await rm(path, { force: true });
        isNamed = false;
      }
      if (sizeBytes + chunk.length > bytesMax) throw new AppError("too-large");
      for (let from = 0; from < chunk.length;)
        from += (await file.write(chunk, from, chunk.length - from, sizeBytes + from)).bytesWritten;
      sizeBytes += chunk.length;
    }
    if (!isNamed) return uploadOf(file, sizeBytes);
    const upload = uploadOf(file, sizeBytes);
    const close = async () => {
      await upload.close();
      await rm(path, { force: true });
    };
    return { ...upload, path, close };
  } catch (error) {
    await file.close();
    await rm(path, { force: true }).catch(() => {});
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new StorageFullError("There is no space for an upload; nothing was stored.", {
        cause: error,
      });
    throw error;
  }
}

/** A path for a temporary file in `dataDir`. The one who writes it deletes it; after a crash, a later start does. */
export async function newUploadPath(dataDir: string): Promise<string> {
  const folder = join(dataDir, folderName);
  await makeFolder(folder);
  return join(folder, newId("request"));
}

/** Opens an existing file, which is not deleted. Throws the file system's error. */
export async function openFile(path: string): Promise<Upload> {
  const file = await open(path, "r");
  return { ...uploadOf(file, (await file.stat()).size), path };
}

/** Removes files of processes that were killed before they could remove the name. */
export async function removeOldUploads(dataDir: string, nowMs: number): Promise<void> {
  const folder = join(dataDir, folderName);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const left = await stat(join(folder, name)).catch(() => undefined);
    if (left !== undefined && left.mtimeMs < nowMs - leftOverMs)
      await rm(join(folder, name), { force: true });
  }
}

/** The bytes from `start` to before `end` as a file, which is open as long as `upload` is. */
export function partOf(upload: Upload, { start, end }: { start: number; end: number }): Upload {
  const sizeBytes = end - start;
  return {
    sizeBytes,
    fd: upload.fd,
    startAt: upload.startAt + start,
    read: (from = 0, to = sizeBytes) => upload.read(start + from, start + Math.min(to, sizeBytes)),
    close: () => Promise.resolve(),
  };
}

function uploadOf(file: FileHandle, sizeBytes: number): Upload {
  return {
    sizeBytes,
    fd: file.fd,
    startAt: 0,
    async *read(start = 0, end = sizeBytes) {
      for (let at = start; at < end;) {
        const buffer = Buffer.allocUnsafe(Math.min(readBytes, end - at));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
    close: async () => await file.close(),
  };
}
