import { createHash } from "node:crypto";
import { BlobMissingError, type Blobs } from "./blobs.ts";

/** What is to be where it was not: its length, and its hash where that is known. */
export type ToMove = { key: string; sizeBytes: number | undefined; sha256: string | undefined };

export type Moved = {
  copied: number;
  /** There already, from an earlier time. */
  there: number;
  /** Not in the store that they were to come from. */
  missing: string[];
  /** Not what they were: nothing of them was kept. */
  damaged: string[];
  removed: number;
};

/**
 * Copies blobs from one store to another, and takes them away from the first where `remove` says so and the other has
 * them. What is there already is left alone, so that it goes on where it was broken off. Whatever writes to the first
 * store meanwhile may go on. Throws `BlobsAwayError` and `StorageFullError`.
 */
export async function moveBlobs(
  all: AsyncIterable<ToMove> | Iterable<ToMove>,
  from: Blobs,
  to: Blobs,
  { remove, each }: { remove: boolean; each: () => void },
): Promise<Moved> {
  const moved: Moved = { copied: 0, there: 0, missing: [], damaged: [], removed: 0 };
  for await (const blob of all) {
    each();
    const size = await to.size(blob.key);
    if (size !== undefined && (blob.sizeBytes === undefined || size === blob.sizeBytes)) moved.there += 1;
    else {
      const outcome = await copyOne(blob, from, to);
      if (outcome !== "copied") {
        moved[outcome].push(blob.key);
        continue;
      }
      moved.copied += 1;
    }
    if (!remove || (await from.size(blob.key)) === undefined) continue;
    await from.remove(blob.key);
    moved.removed += 1;
  }
  return moved;
}

async function copyOne(blob: ToMove, from: Blobs, to: Blobs): Promise<"copied" | "missing" | "damaged"> {
  const sizeBytes = await from.size(blob.key);
  if (sizeBytes === undefined) return "missing";
  try {
    await to.put(blob.key, checked(await from.read(blob.key), blob), { sizeBytes });
    return "copied";
  } catch (error) {
    if (error instanceof BlobMissingError) return "missing";
    if (error instanceof DamagedError) return "damaged";
    throw error;
  }
}

class DamagedError extends Error {
  override readonly name = "DamagedError";
}

/** The same bytes, which end well only where they are those that were kept. */
async function* checked(bytes: AsyncIterable<Uint8Array>, { sha256 }: ToMove): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  // One chunk behind: what is wrong is known before the last of it is handed over.
  let last: Uint8Array | undefined;
  for await (const chunk of bytes) {
    if (last !== undefined) yield last;
    hash.update(chunk);
    last = chunk;
  }
  if (sha256 !== undefined && hash.digest("hex") !== sha256) throw new DamagedError("It is not what it was.");
  if (last !== undefined) yield last;
}
