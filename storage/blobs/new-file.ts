import { open, type FileHandle } from "node:fs/promises";
import { Queue } from "../sql/queue.ts";

/** 1 MiB may wait for the disk while as much is being written. */
const waitingBytesMax = 1024 * 1024;
/** After every 4 MiB what is there is put on the disk, while more comes: the end need not wait long for it. */
const looseBytesMax = 4 * 1024 * 1024;

/** Files that are being written at once do not fill the system's few threads with their waits for the disk. */
const syncs = new Queue();

/**
 * Writes a new file while more of it comes, and puts it on the disk. Answers its size. Where `givenAway`, the memory of
 * each piece is let go of as soon as it is written. Throws what `bytes` and the system throw, and the signal's reason
 * where it aborts before all has come; what was written until then is the caller's to remove.
 */
export async function writeNewFile(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  { signal, givenAway = false }: { signal?: AbortSignal | undefined; givenAway?: boolean | undefined },
): Promise<number> {
  const file = await open(path, "wx", 0o600);
  const source = bytes[Symbol.asyncIterator]();
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let loose = 0;
  let size = 0;
  let failure: { error: unknown } | undefined;
  let writing: Promise<void> | undefined;
  let syncing: Promise<void> | undefined;
  // What is asked for next may be long in coming, and is not waited for where nobody wants it any more.
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  const giveUp = (): void => broken.reject(signal?.reason);
  const noted = (error: unknown): void => {
    failure ??= { error };
    broken.reject(error);
  };

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const [pieces, length] = [waiting, waitingBytes];
      [waiting, waitingBytes] = [[], 0];
      await writeAll(file, pieces, length);
      if (givenAway) pieces.forEach(letGo);
      size += length;
      loose += length;
      // A disk that is slower than what comes is not left further behind.
      if (loose >= 2 * looseBytesMax) await syncing;
      if (loose >= looseBytesMax && syncing === undefined) {
        loose = 0;
        syncing = syncs
          .run(async () => await file.datasync())
          .catch(noted)
          .finally(() => (syncing = undefined));
      }
    }
  }

  /** Begins to write what waits. The promise never rejects: `failure` says it. */
  function write(): Promise<void> {
    return (writing ??= writeWaiting()
      .catch(noted)
      .finally(() => (writing = undefined)));
  }

  signal?.addEventListener("abort", giveUp);
  try {
    signal?.throwIfAborted();
    for (;;) {
      const next = await Promise.race([source.next(), broken.promise]);
      if (next.done === true) break;
      waiting.push(next.value);
      waitingBytes += next.value.length;
      const written = write();
      if (waitingBytes >= waitingBytesMax) await written;
    }
    while (waiting.length > 0 && failure === undefined) await write();
    await writing;
    await syncing;
    if (failure !== undefined) throw failure.error;
    await file.sync();
    return size;
  } catch (error) {
    source.return?.().catch(() => {});
    throw error;
  } finally {
    signal?.removeEventListener("abort", giveUp);
    await writing;
    await syncing;
    await file.close();
  }
}

/** The system may take less than it is given: a disk that is about to be full says so at the rest. */
async function writeAll(file: FileHandle, pieces: Uint8Array[], length: number): Promise<void> {
  const { bytesWritten } = await file.writev(pieces);
  if (bytesWritten < length) await file.writeFile(Buffer.concat(pieces).subarray(bytesWritten));
}

/**
 * Frees the memory of a piece at once. What comes over the network lies outside the collector's heap: left to it, every
 * few uploads make it go through all of that heap, which takes longer than the uploads.
 */
function letGo({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
