import { crc32 } from "node:zlib";
import { fromFdPromise, type Entry } from "yauzl";
import { AppError } from "#server/lib/errors.ts";
import type { Upload } from "./upload.ts";

/** A file of a zip. */
export type ZipEntry = {
  name: string;
  sizeBytes: number;
  /** Throws `import-damaged` if the checksum is wrong. */
  read(): AsyncIterable<Uint8Array>;
};

export type ZipLimits = { entries: number; unpackedBytes: number };

/** For people's uploads: more than a person writes in a lifetime, and few enough for a disk. */
export const uploadLimits: ZipLimits = { entries: 200_000, unpackedBytes: 4 * 1024 ** 3 };

/** Exports compress less than this. DEFLATE's maximum is 1,032. */
const ratioMax = 400;
/** Smaller entries are not checked, because a short repetitive text compresses well. */
const ratioFromBytes = 16 * 1024 * 1024;

/**
 * The entries of a zip whose names pass the `wanted` filter. They are decompressed only when they are read, and their
 * names are not used as paths. Throws `import-damaged`, and `import-unsafe` for bombs and unsafe paths.
 */
export async function zipEntries(
  upload: Upload,
  limits: ZipLimits,
  wanted: (name: string) => boolean,
): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = [];
  let count = 0;
  let unpacked = 0;
  let packed = 0;
  const zip = await fromFdPromise(upload.fd, { autoClose: false }).catch(damaged);
  try {
    for await (const entry of zip.eachEntry()) {
      if (++count > limits.entries) throw new AppError("import-unsafe");
      if (entry.fileName.endsWith("/") || !wanted(entry.fileName)) continue;
      if (entry.isEncrypted() || (entry.compressionMethod !== 0 && entry.compressionMethod !== 8))
        throw new AppError("import-unsafe");
      unpacked += entry.uncompressedSize;
      packed += entry.compressedSize;
      if (unpacked > limits.unpackedBytes || isBomb(entry.uncompressedSize, entry.compressedSize))
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
  // Overlapping entries have more bytes together than the file.
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
    // Errors of the reader are not thrown here, only errors of decompression.
    damaged(error);
  }
  if (sum !== entry.crc32) throw new AppError("import-damaged");
}

/** Maps the library's errors. The original error goes to the log. */
function damaged(cause: unknown): never {
  if (cause instanceof AppError) throw cause;
  if (/invalid relative path|absolute path|invalid characters in fileName/.test(String(cause)))
    throw new AppError("import-unsafe", { cause });
  throw new AppError("import-damaged", { cause });
}
