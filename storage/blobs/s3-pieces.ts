import { randomUUID } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StorageFullError } from "../errors.ts";
import { isFullDisk } from "./disk.ts";

type Gathered = { bytes: AsyncIterable<Uint8Array>; sizeBytes: number; remove?: () => Promise<void> };

/** 256 KiB at once, as from the disk of files. */
const pieceBytes = 256 * 1024;

/**
 * What comes without a size, kept aside until all of it has come: S3 wants to know how much it will be. Throws what
 * `bytes` throw, and `StorageFullError`.
 */
export async function gathered(bytes: AsyncIterable<Uint8Array>): Promise<Gathered> {
  const folder = tmpdir();
  let file: FileHandle | undefined;
  const remove = async () => await file?.close();
  try {
    file = await openNameless(folder);
    await file.writeFile(bytes);
    const { size } = await file.stat();
    return { bytes: readBack(file), sizeBytes: size, remove };
  } catch (error) {
    await remove();
    if (!isFullDisk(error)) throw error;
    throw new StorageFullError(`The disk of ${folder} is full; what comes without its size waits there.`, {
      cause: error,
    });
  }
}

/** A file without a name, which goes with its process: no crash leaves anybody's bytes behind. */
async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, `parlance-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  try {
    await rm(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** From its beginning, wherever it was written last. */
async function* readBack(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
