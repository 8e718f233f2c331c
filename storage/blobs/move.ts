import { createHash, randomUUID } from "node:crypto";
import { BlobMissingError, type Blobs } from "./blobs.ts";

/** What is to be where it was not: its length, and its hash where that is known. */
export type ToMove = {
  key: string;
  sizeBytes: number | undefined;
  sha256: string | undefined;
  /** Whether it is still somebody's. Absent where that is not known: then it is moved as long as it is there. */
  isWanted?: () => Promise<boolean>;
};

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

/** Both stores are one and the same, by two ways. */
export class SameStoreError extends Error {
  override readonly name = "SameStoreError";
}

/**
 * Copies blobs from one store to another, and takes them away from the first where `remove` says so and the other was
 * found to have the same bytes. What is there already is left alone, so that it goes on where it was broken off.
 * Whatever writes to the first store meanwhile may go on, and what is deleted meanwhile is not brought back. Throws
 * `SameStoreError`, `BlobsAwayError` and `StorageFullError`.
 */
export async function moveBlobs(
  all: AsyncIterable<ToMove> | Iterable<ToMove>,
  from: Blobs,
  to: Blobs,
  { remove, each }: { remove: boolean; each: () => void },
): Promise<Moved> {
  await refuseSame(from, to);
  const moved: Moved = { copied: 0, there: 0, missing: [], damaged: [], removed: 0 };
  for await (const blob of all) {
    each();
    if (!(await isWanted(blob))) continue;
    const size = await from.size(blob.key);
    const isLast = size === undefined;
    const isThere = async () =>
      remove && !isLast
        ? await hasSameBytes(blob, from, to)
        : await hasSize(blob.sizeBytes ?? size, to, blob.key);
    if (await isThere()) moved.there += 1;
    else {
      const outcome = await copyOne(blob, from, to);
      if (!(await isWanted(blob))) {
        // Whoever deleted it may have looked for it there before the copy came.
        await to.remove(blob.key);
        continue;
      }
      if (outcome !== "copied") {
        moved[outcome].push(blob.key);
        continue;
      }
      moved.copied += 1;
    }
    if (!remove || isLast) continue;
    if (!(await hasSameBytes(blob, from, to))) {
      if (await isWanted(blob)) moved.damaged.push(blob.key);
      continue;
    }
    await from.remove(blob.key);
    moved.removed += 1;
  }
  return moved;
}

async function isWanted(blob: ToMove): Promise<boolean> {
  return (await blob.isWanted?.()) ?? true;
}

/** Whether what is put into one is in the other then. */
async function refuseSame(from: Blobs, to: Blobs): Promise<void> {
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

/** Read to its end: nothing else tells what a store would give back. */
async function hasSameBytes({ key, sha256 }: ToMove, from: Blobs, to: Blobs): Promise<boolean> {
  const there = await hashOf(to, key);
  return there !== undefined && there === (sha256 ?? (await hashOf(from, key)));
}

async function hashOf(store: Blobs, key: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of await store.read(key)) hash.update(chunk as Uint8Array);
  } catch (error) {
    if (error instanceof BlobMissingError) return undefined;
    throw error;
  }
  return hash.digest("hex");
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
