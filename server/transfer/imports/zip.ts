import { crc32 } from "node:zlib";
import { fromFdPromise, type Entry } from "yauzl";
import { AppError } from "#server/lib/errors.ts";
import type { Upload } from "./upload.ts";

/** A file of a zip. */
export type ZipEntry = {
  name: string;
  sizeBytes: number;
  /** Throws `import-damaged` where the bytes are not those that were packed. */
  read(): AsyncIterable<Uint8Array>;
};

export type ZipLimits = { entries: number; unpackedBytes: number };

/** For people's uploads: more than a person has written in their life, and little enough for a disk. */
export const uploadLimits: ZipLimits = { entries: 200_000, unpackedBytes: 4 * 1024 ** 3 };

/** No export shrinks further than this: 1,032 is all that the packing could do. */
const ratioMax = 400;
/** Below this no one need look: a short text that repeats itself shrinks as far as it likes. */
const ratioFromBytes = 16 * 1024 * 1024;

/**
 * The files of a zip, nothing of which is unpacked before it is read; names are not used as paths. Folders, and what lies
 * in a way that unpacking it elsewhere would be unsafe, make it refused.
 *
 * Throws `import-damaged` and `import-unsafe`.
 */
export async function zipEntries(
  upload: Upload,
  most: ZipLimits,
  wanted: (name: string) => boolean,
): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = [];
  let count = 0;
  let unpacked = 0;
  let packed = 0;
  const zip = await fromFdPromise(upload.fd, { autoClose: false }).catch(damaged);
  try {
    for await (const entry of zip.eachEntry()) {
      if (++count > most.entries) throw new AppError("import-unsafe");
      if (entry.fileName.endsWith("/") || !wanted(entry.fileName)) continue;
      if (entry.isEncrypted() || (entry.compressionMethod !== 0 && entry.compressionMethod !== 8))
        throw new AppError("import-unsafe");
      unpacked += entry.uncompressedSize;
      packed += entry.compressedSize;
      if (unpacked > most.unpackedBytes || isBomb(entry.uncompressedSize, entry.compressedSize))
        throw new AppError("import-unsafe");
      entries.push({
        name: entry.fileName,
        sizeBytes: entry.uncompressedSize,
        read: () => unpackedBytes(entry, async () => await zip.openReadStreamPromise(entry)),
      });
    }
  } catch (error) {
    damaged(error);
  }
  // Entries that lie over one another hold more together than there is.
  if (packed > upload.sizeBytes || isBomb(unpacked, upload.sizeBytes)) throw new AppError("import-unsafe");
  return entries;
}

function isBomb(unpackedBytes: number, packedBytes: number): boolean {
  return unpackedBytes > ratioFromBytes && unpackedBytes > packedBytes * ratioMax;
}

async function* unpackedBytes(
  entry: Entry,
  open: () => Promise<NodeJS.ReadableStream>,
): AsyncGenerator<Uint8Array> {
  let sum = 0;
  try {
    for await (const chunk of await open()) {
      sum = crc32(chunk, sum);
      yield chunk as Buffer;
    }
  } catch (error) {
    // What whoever reads throws does not come by here: this is what unpacking met.
    damaged(error);
  }
  if (sum !== entry.crc32) throw new AppError("import-damaged");
}

/** What the library says of a zip that it cannot read is told as one thing, and stays in the log. */
function damaged(cause: unknown): never {
  if (cause instanceof AppError) throw cause;
  if (/invalid relative path|absolute path|invalid characters in fileName/.test(String(cause)))
    throw new AppError("import-unsafe", { cause });
  throw new AppError("import-damaged", { cause });
}
