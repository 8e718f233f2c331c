import { fromBufferPromise, type Entry } from "yauzl";
import { ExtractionError } from "../extraction-error.ts";

/** Real documents have dozens. */
const entriesMax = 5_000;

/** The parts of an office document, which is a ZIP archive of XML files. */
export type Package = Awaited<ReturnType<typeof openPackage>>;

/**
 * Opens an archive. Parts are decompressed only when they are read. The decompressed bytes are counted, whatever sizes
 * the archive declares: more than `unpackedBytesMax` for all parts together throws. Throws `ExtractionError`.
 */
export async function openPackage(bytes: Uint8Array, unpackedBytesMax: number) {
  const entries = new Map<string, Entry>();
  let left = unpackedBytesMax;
  const archive = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).catch(
    damaged,
  );
  try {
    for await (const entry of archive.eachEntry()) {
      if (entries.size >= entriesMax) throw new ExtractionError("too-large");
      entries.set(entry.fileName, entry);
    }
  } catch (error) {
    throw error instanceof ExtractionError ? error : new ExtractionError("damaged", { cause: error });
  }

  return {
    has: (name: string) => entries.has(name),
    names: () => [...entries.keys()],
    /** The content of a part; empty if there is no such part. Throws `ExtractionError`. */
    async *read(name: string): AsyncIterable<Uint8Array> {
      const entry = entries.get(name);
      if (entry === undefined) return;
      if ((entry.generalPurposeBitFlag & 1) === 1) throw new ExtractionError("locked");
      const stream = await archive.openReadStreamPromise(entry).catch(damaged);
      try {
        for await (const chunk of stream as AsyncIterable<Uint8Array>) {
          left -= chunk.length;
          if (left < 0) throw new ExtractionError("too-large");
          yield chunk;
        }
      } catch (error) {
        throw error instanceof ExtractionError ? error : new ExtractionError("damaged", { cause: error });
      } finally {
        stream.destroy();
      }
    },
  };
}

function damaged(error: unknown): never {
  throw new ExtractionError("damaged", { cause: error });
}
