import { createHash } from "node:crypto";
import { BlobMissingError, type Blobs } from "../blobs/blobs.ts";
import type { ArchiveLine } from "./archive.ts";
import type { Snapshot } from "./snapshot.ts";

/** 192 KiB, which are 256 KiB of text: many pieces fit into little memory. */
const pieceBytes = 192 * 1024;

/** Puts back what an archive holds of a blob; called for one after the other. */
export type PutBlob = (key: string, sizeBytes: number, bytes: AsyncIterable<Uint8Array>) => Promise<void>;

/** What is told of blobs whose bytes are not what the snapshot says. */
export type Untrue = {
  /** Deleted since, or lost. */
  missing(key: string): void;
  /** Of another length, and left out; or of the same, and in the archive as it is. */
  damaged(key: string): void;
};

/**
 * The bytes of every file that a snapshot knows, each as a line with its key and its length and lines with pieces of
 * it; thumbnails are made anew. What is not what it was is told to `untrue`. Throws `BlobsUnreachableError`, and where the store
 * gives less than it has.
 */
export async function* blobLines(
  snapshot: Snapshot,
  blobs: Blobs,
  untrue: Untrue,
): AsyncGenerator<ArchiveLine> {
  for (const row of await snapshot.rows("select key, sha256, size_bytes from blobs order by key")) {
    const [key, sizeBytes] = [String(row.key), Number(row.size_bytes)];
    const there = await blobs.size(key);
    if (there === undefined) untrue.missing(key);
    else if (there !== sizeBytes) untrue.damaged(key);
    else yield* linesOf({ key, sizeBytes, sha256: String(row.sha256) }, blobs, untrue);
  }
}

type Known = { key: string; sizeBytes: number; sha256: string };

async function* linesOf(
  { key, sizeBytes, sha256 }: Known,
  blobs: Blobs,
  untrue: Untrue,
): AsyncGenerator<ArchiveLine> {
  let bytes: AsyncIterable<Uint8Array>;
  try {
    bytes = await blobs.read(key);
  } catch (error) {
    if (error instanceof BlobMissingError) return untrue.missing(key);
    throw error;
  }
  yield { type: "blob", key, sizeBytes };
  const hash = createHash("sha256");
  let count = 0;
  let waiting = Buffer.alloc(0);
  for await (const chunk of bytes) {
    hash.update(chunk);
    count += chunk.length;
    waiting = Buffer.concat([waiting, chunk]);
    for (; waiting.length >= pieceBytes; waiting = waiting.subarray(pieceBytes))
      yield { type: "piece", bytes: waiting.subarray(0, pieceBytes) };
  }
  if (count !== sizeBytes) throw new Error(`Of ${key} ${count} bytes came instead of ${sizeBytes}.`);
  if (waiting.length > 0) yield { type: "piece", bytes: waiting };
  if (hash.digest("hex") !== sha256) untrue.damaged(key);
}

/** What follows the line of a blob, until it is whole. */
export async function* piecesOf(
  lines: AsyncIterator<ArchiveLine, unknown>,
  sizeBytes: number,
): AsyncGenerator<Uint8Array> {
  for (let rest = sizeBytes; rest > 0;) {
    const line = await lines.next();
    if (line.done === true || line.value.type !== "piece")
      throw new Error("A file in the backup ends before it is whole.");
    rest -= line.value.bytes.length;
    yield line.value.bytes;
  }
}
