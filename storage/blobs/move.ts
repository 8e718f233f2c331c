import { createHash, randomUUID } from "node:crypto";
import { BlobMissingError, undefinedIfMissing, type Blobs } from "./blobs.ts";

/** A blob to move: its length and its hash, if they are known. */
export type BlobToMove = {
  key: string;
  sizeBytes: number | undefined;
  sha256: string | undefined;
  /** Whether it is still in use. If absent, it is moved as long as it exists. */
  isInUse?: () => Promise<boolean>;
};

export type Moved = {
  copied: number;
  /** In the target already. */
  alreadyThere: number;
  /** Not in the source. */
  missing: string[];
  /** With a wrong hash. They are not copied. */
  damaged: string[];
  removed: number;
};

/** Both stores are the same. */
export class SameStoreError extends Error {
  override readonly name = "SameStoreError";
}

/**
 * Copies blobs from one store to another. With `remove`, each is deleted from the source after the target was read back
 * and has the same bytes. Blobs that are in the target already are skipped, so that an interrupted move can continue. A
 * server may write to the source meanwhile, and blobs that are deleted meanwhile stay deleted. Throws `SameStoreError`, `BlobsUnreachableError` and `StorageFullError`.
 */
export async function moveBlobs(
  all: AsyncIterable<BlobToMove> | Iterable<BlobToMove>,
  from: Blobs,
  to: Blobs,
  { remove, each }: { remove: boolean; each: () => void },
): Promise<Moved> {
  await assertDifferent(from, to);
  const moved: Moved = { copied: 0, alreadyThere: 0, missing: [], damaged: [], removed: 0 };
  for await (const blob of all) {
    each();
    if (!(await isInUse(blob))) continue;
    const size = await from.size(blob.key);
    const isMissing = size === undefined;
    const isInTarget = async () =>
      remove && !isMissing
        ? await hasSameBytes(blob, from, to)
        : await hasSize(blob.sizeBytes ?? size, to, blob.key);
    if (await isInTarget()) moved.alreadyThere += 1;
    else {
      const outcome = await copyOne(blob, from, to);
      if (!(await isInUse(blob))) {
        // Its deletion may have run before the copy existed.
        await to.remove(blob.key);
        continue;
      }
      if (outcome !== "copied") {
        moved[outcome].push(blob.key);
        continue;
      }
      moved.copied += 1;
    }
    if (!remove || isMissing) continue;
    if (!(await hasSameBytes(blob, from, to))) {
      if (await isInUse(blob)) moved.damaged.push(blob.key);
      continue;
    }
    await from.remove(blob.key);
    moved.removed += 1;
  }
  return moved;
}

async function isInUse(blob: BlobToMove): Promise<boolean> {
  return (await blob.isInUse?.()) ?? true;
}

/** Stores a probe in one store and looks for it in the other. */
async function assertDifferent(from: Blobs, to: Blobs): Promise<void> {
  const key = `probes/${randomUUID()}`;
  await to.put(key, probe(), { sizeBytes: 1 });
  try {
    if ((await from.size(key)) !== undefined) throw new SameStoreError("Both stores are the same.");
  } finally {
    await to.remove(key);
  }
}

async function* probe(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(1);
}

async function hasSize(sizeBytes: number | undefined, store: Blobs, key: string): Promise<boolean> {
  const size = await store.size(key);
  return size !== undefined && (sizeBytes === undefined || size === sizeBytes);
}

/** Reads the whole blob, because only that shows what the store returns. */
async function hasSameBytes({ key, sha256 }: BlobToMove, from: Blobs, to: Blobs): Promise<boolean> {
  const targetHash = await hashOf(to, key);
  return targetHash !== undefined && targetHash === (sha256 ?? (await hashOf(from, key)));
}

async function hashOf(store: Blobs, key: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of await store.read(key)) hash.update(chunk as Uint8Array);
  } catch (error) {
    return undefinedIfMissing(error);
  }
  return hash.digest("hex");
}

async function copyOne(blob: BlobToMove, from: Blobs, to: Blobs): Promise<"copied" | "missing" | "damaged"> {
  const sizeBytes = await from.size(blob.key);
  if (sizeBytes === undefined) return "missing";
  try {
    await to.put(blob.key, verify(await from.read(blob.key), blob), { sizeBytes });
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

/** Passes bytes through. Throws `DamagedError` before the last chunk if their hash is wrong. */
async function* verify(bytes: AsyncIterable<Uint8Array>, { sha256 }: BlobToMove): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  // One chunk behind, so that a wrong hash is known before the last chunk is passed on.
  let last: Uint8Array | undefined;
  for await (const chunk of bytes) {
    if (last !== undefined) yield last;
    hash.update(chunk);
    last = chunk;
  }
  if (sha256 !== undefined && hash.digest("hex") !== sha256) throw new DamagedError("The hash is wrong.");
  if (last !== undefined) yield last;
}
