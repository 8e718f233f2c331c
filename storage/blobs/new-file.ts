import { open, type FileHandle } from "node:fs/promises";
import { Mutex } from "../lib/mutex.ts";
import { untilAborted } from "./until-aborted.ts";

/** The most bytes to queue while others are being written. */
const queueBytesMax = 1024 * 1024;
/**
 * How many bytes to write before a sync. Without syncs in the middle, one sync at the end blocks the commits of all
 * transactions for a time that grows with the file. During uploads of 200 MB at 50 MB/s to an SSD, the longest commit took
 * 66 to 78 ms with them and 135 to 158 ms without; the upload took as long.
 */
const unsyncedBytesMax = 4 * 1024 * 1024;

/** One sync at a time in the middle of files, because all file operations of the process share few threads. */
const syncLock = new Mutex();

/**
 * Streams bytes to a new file, syncs it to the disk, and returns its size. With `freeChunks`, the memory of each chunk is
 * freed as soon as it is written. Throws the error of `bytes` or the system, or the signal's reason. The caller then
 * deletes the unfinished file.
 */
export async function writeNewFile(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  { signal, freeChunks = false }: { signal?: AbortSignal | undefined; freeChunks?: boolean | undefined },
): Promise<number> {
  const file = await open(path, "wx", 0o600);
  const failed = new AbortController();
  const stopped = AbortSignal.any([failed.signal, ...(signal === undefined ? [] : [signal])]);
  let queue: Uint8Array[] = [];
  let queueBytes = 0;
  let unsyncedBytes = 0;
  let size = 0;
  let writing: Promise<void> | undefined;
  let syncing: Promise<void> | undefined;
  const fail = (error: unknown): void => failed.abort(error);

  async function writeQueue(): Promise<void> {
    while (queue.length > 0 && !failed.signal.aborted) {
      const [chunks, length] = [queue, queueBytes];
      [queue, queueBytes] = [[], 0];
      await writeAll(file, chunks, length);
      if (freeChunks) chunks.forEach(freeMemory);
      size += length;
      unsyncedBytes += length;
      // Waits for a disk that is slower than the upload.
      if (unsyncedBytes >= 2 * unsyncedBytesMax) await syncing;
      if (unsyncedBytes >= unsyncedBytesMax && syncing === undefined) {
        unsyncedBytes = 0;
        syncing = syncLock
          .run(async () => (stopped.aborted ? undefined : await file.datasync()))
          .catch(fail)
          .finally(() => (syncing = undefined));
      }
    }
  }

  /** Writes the queue. Errors are reported through `failed`; the promise never rejects. */
  function write(): Promise<void> {
    return (writing ??= writeQueue()
      .catch(fail)
      .finally(() => (writing = undefined)));
  }

  try {
    for await (const chunk of untilAborted(bytes, stopped)) {
      queue.push(chunk);
      queueBytes += chunk.length;
      const written = write();
      if (queueBytes >= queueBytesMax) await written;
    }
    while (queue.length > 0 && !failed.signal.aborted) await write();
    await writing;
    await syncing;
    failed.signal.throwIfAborted();
    await file.sync();
    return size;
  } finally {
    await writing;
    await syncing;
    await file.close();
  }
}

/** A nearly full disk may write only a part of the bytes. Writing the rest then throws the error. */
async function writeAll(file: FileHandle, chunks: Uint8Array[], length: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks);
  if (bytesWritten < length) await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
}

/**
 * Frees the memory of a chunk at once. Network buffers are outside of the garbage collector's heap; if they are left to
 * the collector, it collects the whole heap every few uploads, which takes longer than the uploads.
 */
function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
