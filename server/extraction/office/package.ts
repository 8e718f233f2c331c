import { fromBufferPromise, type Entry } from "yauzl";
import { FaultError } from "./fault.ts";

/** The files within a document: office formats are ZIP archives of XML. */
export type Package = {
  has(name: string): boolean;
  names(): string[];
  /** What is in one of them, piece by piece; nothing where there is none. Throws `FaultError`. */
  read(name: string): AsyncIterable<Uint8Array>;
};

/** A document of people has dozens; more is a bomb of names. */
const entriesMax = 5_000;

/**
 * Opens an archive. Nothing is unpacked before it is read, and all that is read together unfolds to `unpackedBytesMax`
 * at the most: it is counted as it comes, whatever the archive says of itself. Throws `FaultError`.
 */
export async function openPackage(bytes: Uint8Array, unpackedBytesMax: number): Promise<Package> {
  const entries = new Map<string, Entry>();
  let left = unpackedBytesMax;
  const archive = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).catch(
    damaged,
  );
  try {
    for await (const entry of archive.eachEntry()) {
      if (entries.size >= entriesMax) throw new FaultError("too-large");
      entries.set(entry.fileName, entry);
    }
  } catch (error) {
    throw error instanceof FaultError ? error : new FaultError("damaged", { cause: error });
  }

  return {
    has: (name) => entries.has(name),
    names: () => [...entries.keys()],
    async *read(name) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      if ((entry.generalPurposeBitFlag & 1) === 1) throw new FaultError("locked");
      const stream = await archive.openReadStreamPromise(entry).catch(damaged);
      try {
        for await (const chunk of stream as AsyncIterable<Uint8Array>) {
          left -= chunk.length;
          if (left < 0) throw new FaultError("too-large");
          yield chunk;
        }
      } catch (error) {
        throw error instanceof FaultError ? error : new FaultError("damaged", { cause: error });
      } finally {
        stream.destroy();
      }
    },
  };
}

function damaged(error: unknown): never {
  throw new FaultError("damaged", { cause: error });
}
