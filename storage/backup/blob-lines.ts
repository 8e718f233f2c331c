import { BlobMissingError, type Blobs } from "../blobs/blobs.ts";
import type { ArchiveLine } from "./archive.ts";
import type { Snapshot } from "./snapshot.ts";

/** 192 KiB, which are 256 KiB of text: many pieces fit into little memory. */
const pieceBytes = 192 * 1024;

/** Puts back what an archive holds of a blob; called for one after the other. */
export type PutBlob = (key: string, sizeBytes: number, bytes: AsyncIterable<Uint8Array>) => Promise<void>;

/**
 * The bytes of every file that a snapshot knows, each as a line with its key and its length and lines with pieces of
 * it; thumbnails are made anew. What was deleted since the snapshot is told to `missing` and left out. Throws
 * `BlobsAwayError`.
 */
export async function* blobLines(
  snapshot: Snapshot,
  blobs: Blobs,
  missing: (key: string) => void,
): AsyncGenerator<ArchiveLine> {
  if (!snapshot.migrations.includes("0010-files")) return;
  for (const row of await snapshot.rows("select key from blobs order by key")) {
    const key = String(row.key);
    const sizeBytes = await blobs.size(key);
    if (sizeBytes === undefined) missing(key);
    else yield* linesOf(key, sizeBytes, blobs, missing);
  }
}

async function* linesOf(
  key: string,
  sizeBytes: number,
  blobs: Blobs,
  missing: (key: string) => void,
): AsyncGenerator<ArchiveLine> {
  let bytes: AsyncIterable<Uint8Array>;
  try {
    bytes = await blobs.read(key);
  } catch (error) {
    if (error instanceof BlobMissingError) return missing(key);
    throw error;
  }
  yield { type: "blob", key, sizeBytes };
  let waiting = Buffer.alloc(0);
  for await (const chunk of bytes) {
    waiting = Buffer.concat([waiting, chunk]);
    for (; waiting.length >= pieceBytes; waiting = waiting.subarray(pieceBytes))
      yield { type: "piece", bytes: waiting.subarray(0, pieceBytes) };
  }
  if (waiting.length > 0) yield { type: "piece", bytes: waiting };
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
