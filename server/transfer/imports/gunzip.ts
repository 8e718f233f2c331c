import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AppError } from "#server/lib/errors.ts";
import { isBomb } from "./zip/zip.ts";

/** Whether a file begins like one that gzip has compressed. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Decompresses a file, at the pace of the reader. Throws `import-damaged`, and `import-unsafe` if it has more than
 * `unpackedBytesMax` or is a bomb.
 */
export async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
  { packedBytes, unpackedBytesMax }: { packedBytes: number; unpackedBytesMax: number },
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(chunks, { objectMode: false });
  const unpacked = createGunzip();
  source.once("error", (error) => unpacked.destroy(error));
  let sizeBytes = 0;
  try {
    for await (const chunk of source.pipe(unpacked) as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > unpackedBytesMax || isBomb(sizeBytes, packedBytes)) throw new AppError("import-unsafe");
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("import-damaged", { cause });
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}
