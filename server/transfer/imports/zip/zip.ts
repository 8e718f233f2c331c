import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { fromRandomAccessReaderPromise, type Entry } from "yauzl";
import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Upload } from "../upload.ts";
import { ZipReader } from "./zip-reader.ts";

/** A zip and its files, without folders. */
export type Zip = {
  entries: ZipEntry[];
  /**
   * Counts entries that will be read towards the limits. Throws `import-unsafe` for bombs, for encrypted entries, and if
   * all of them together are too large.
   */
  admit(entries: readonly ZipEntry[]): void;
};

/** A file of a zip. */
export type ZipEntry = {
  name: string;
  sizeBytes: number;
  packedBytes: number;
  /** Whether it is not encrypted and its compression is a common one. */
  isReadable: boolean;
  /** Throws `import-damaged` if the checksum is wrong. */
  read(): AsyncIterable<Uint8Array>;
  /** Where its bytes are in the zip, if they are not compressed. */
  locate(): Promise<{ start: number; end: number } | undefined>;
};

export type ZipLimits = { entries: number; unpackedBytes: number };

/** For people's uploads: few enough for a disk and for memory. */
export const uploadLimits: ZipLimits = { entries: limits.importZipFilesMax, unpackedBytes: 4 * 1024 ** 3 };

/** Exports compress less than this. DEFLATE's maximum is 1,032. */
const ratioMax = 400;
/** Smaller entries are not checked, because a short repetitive text compresses well. */
const ratioFromBytes = 16 * 1024 * 1024;
/** Entries that are listed before other work gets its turn: a few milliseconds. */
const entriesPerTurn = 100;

/** The JSON of an entry; `undefined` if there is no such entry, it is larger than `bytesMax`, or it is not JSON. */
export async function readJson(
  zip: Pick<Zip, "admit">,
  entry: ZipEntry | undefined,
  bytesMax: number,
): Promise<unknown> {
  if (entry === undefined || entry.sizeBytes > bytesMax) return undefined;
  zip.admit([entry]);
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry.read()) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Lists a zip. Its files are decompressed only when they are read, and their names are not used as paths. Throws
 * `import-damaged`, `import-too-many-files`, and `import-unsafe` for unsafe paths.
 */
export async function openZip(upload: Upload, limits: ZipLimits): Promise<Zip> {
  const entries: ZipEntry[] = [];
  let count = 0;
  const options = { autoClose: false };
  const reader = new ZipReader(upload);
  const zip = await fromRandomAccessReaderPromise(reader, upload.sizeBytes, options).catch(damaged);
  if (zip.entryCount > limits.entries) throw new AppError("import-too-many-files");
  try {
    for await (const entry of zip.eachEntry()) {
      if (++count % entriesPerTurn === 0) await setImmediate();
      if (entry.fileName.endsWith("/")) continue;
      entries.push({
        name: entry.fileName,
        sizeBytes: entry.uncompressedSize,
        packedBytes: entry.compressedSize,
        isReadable: !entry.isEncrypted() && (entry.compressionMethod === 0 || entry.compressionMethod === 8),
        async locate() {
          if (entry.isEncrypted() || entry.compressionMethod !== 0) return undefined;
          const header = await zip.readLocalFileHeaderPromise(entry, { minimal: true }).catch(damaged);
          return { start: header.fileDataStart, end: header.fileDataStart + entry.compressedSize };
        },
        read: () => unpackedBytes(entry, async () => await zip.openReadStreamPromise(entry)),
      });
    }
  } catch (error) {
    damaged(error);
  }
  reader.endListing();
  let unpacked = 0;
  let packed = 0;
  return {
    entries,
    admit(admitted) {
      for (const { sizeBytes, packedBytes, isReadable } of admitted) {
        if (!isReadable || isBomb(sizeBytes, packedBytes)) throw new AppError("import-unsafe");
        // Overlapping entries have more bytes together than the file.
        if (unpacked + sizeBytes > limits.unpackedBytes || packed + packedBytes > upload.sizeBytes)
          throw new AppError("import-unsafe");
        unpacked += sizeBytes;
        packed += packedBytes;
      }
      if (isBomb(unpacked, upload.sizeBytes)) throw new AppError("import-unsafe");
    },
  };
}

/** Whether something unpacks to more than any export does. */
export function isBomb(unpackedBytes: number, packedBytes: number): boolean {
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
