import { randomUUID } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StorageFullError } from "../lib/errors.ts";
import { isFullDisk } from "./disk.ts";

type BufferedBody = { bytes: AsyncIterable<Uint8Array>; sizeBytes: number; remove?: () => Promise<void> };

/** The same as for files on disk. */
const chunkBytes = 256 * 1024;

/**
 * Buffers bytes of unknown length in a temporary file, because S3 needs the length first. Throws the error of `bytes`, and
 * `StorageFullError`.
 */
export async function bufferOnDisk(bytes: AsyncIterable<Uint8Array>): Promise<BufferedBody> {
  const folder = tmpdir();
  let file: FileHandle | undefined;
  const remove = async () => await file?.close();
  try {
    file = await openUnlinked(folder);
    await file.writeFile(bytes);
    const { size } = await file.stat();
    return { bytes: readBack(file), sizeBytes: size, remove };
  } catch (error) {
    await remove();
    if (!isFullDisk(error)) throw error;
    throw new StorageFullError(`The disk of ${folder} is full. Uploads of unknown size are buffered there.`, {
      cause: error,
    });
  }
}

/** Opens a file and deletes its name, so that a crash leaves nothing behind. */
async function openUnlinked(folder: string): Promise<FileHandle> {
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

async function* readBack(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
