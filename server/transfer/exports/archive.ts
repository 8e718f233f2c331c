import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";

/** A file in a zip. Its content is created when it is written. */
export type ArchiveFile = {
  name: string;
  modified: Date;
  /** The content is compressed already, so it is stored as it is. */
  isCompressed?: boolean;
  chunks: () => AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
};

/** Level 5 compresses text nearly as well as 9, in half the time. */
const compressionLevel = 5;

/** Streams a zip of `files`, at the pace of the reader. The next file is requested when the one before is written. */
export async function* zipOf(files: AsyncIterable<ArchiveFile>): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on("error", (error: Error) => output.destroy(error));
  const writing = writeAll(zip, output, files).catch((error: unknown) => output.destroy(error as Error));
  try {
    for await (const chunk of output) yield chunk as Buffer;
  } finally {
    output.destroy();
    await writing;
  }
}

async function writeAll(zip: ZipFile, output: Readable, files: AsyncIterable<ArchiveFile>): Promise<void> {
  for await (const { name, modified, isCompressed: isPacked = false, chunks } of files) {
    if (output.destroyed) return;
    const source = Readable.from(buffersOf(chunks()), { objectMode: false, highWaterMark: chunkBytes });
    // Without a reader, the source would wait forever.
    const stop = () => source.destroy();
    output.once("close", stop);
    source.once("error", (error) => output.destroy(error));
    const packing = isPacked ? { compress: false } : { compressionLevel };
    zip.addReadStream(source, name, { mtime: modified, mode: 0o100600, ...packing });
    await finished(source).catch(() => {});
    output.off("close", stop);
  }
  if (!output.destroyed) zip.end();
}

/** Large enough for the compressor to be worth its thread. */
const chunkBytes = 64 * 1024;

async function* buffersOf(chunks: ReturnType<ArchiveFile["chunks"]>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    if (typeof chunk !== "string") yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    else if (chunk !== "") yield Buffer.from(chunk);
  }
}
