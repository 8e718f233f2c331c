import { open, type FileHandle } from "node:fs/promises";
import { Mutex } from "../mutex.ts";
import { untilAborted } from "./until-aborted.ts";

/** 1 MiB may wait for the disk while as much is being written. */
const waitingBytesMax = 1024 * 1024;
/** After every 4 MiB what is there is put on the disk, while more comes: the end need not wait long for it. */
const looseBytesMax = 4 * 1024 * 1024;

/** In the middle of files only one waits for the disk at a time: all that this process does with files shares few threads. */
const syncLock = new Mutex();

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
  const failed = new AbortController();
  const over = AbortSignal.any([failed.signal, ...(signal === undefined ? [] : [signal])]);
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let loose = 0;
  let size = 0;
  let writing: Promise<void> | undefined;
  let syncing: Promise<void> | undefined;
  const fail = (error: unknown): void => failed.abort(error);

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0 && !failed.signal.aborted) {
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
        syncing = syncLock
          .run(async () => (over.aborted ? undefined : await file.datasync()))
          .catch(fail)
          .finally(() => (syncing = undefined));
      }
    }
  }

  /** Begins to write what waits. The promise never rejects: `failed` says it. */
  function write(): Promise<void> {
    return (writing ??= writeWaiting()
      .catch(fail)
      .finally(() => (writing = undefined)));
  }

  try {
    for await (const piece of untilAborted(bytes, over)) {
      waiting.push(piece);
      waitingBytes += piece.length;
      const written = write();
      if (waitingBytes >= waitingBytesMax) await written;
    }
    while (waiting.length > 0 && !failed.signal.aborted) await write();
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
