import { createHash } from "node:crypto";
import { BlobMissingError, type Blobs } from "../blobs/blobs.ts";
import type { ArchiveLine } from "./archive.ts";
import type { Snapshot } from "./snapshot.ts";
import { withoutTemporary } from "./without-temporary.ts";

/** 192 KiB are 256 KiB of base64. */
const pieceBytes = 192 * 1024;

/** Stores a blob from an archive. Called for one blob at a time. */
export type PutBlob = (key: string, sizeBytes: number, bytes: AsyncIterable<Uint8Array>) => Promise<void>;

/** Called for blobs that differ from the snapshot. */
export type BlobProblems = {
  /** Deleted meanwhile, or lost. */
  missing(key: string): void;
  /**
   * Called for a blob with another length, which is left out, and for one with another hash, which is archived as it
   * is.
   */
  damaged(key: string): void;
};

/**
 * The attached files of a snapshot, each as a line with its key and length followed by lines with its pieces. Thumbnails are
 * left out and generated again. Throws `BlobsUnreachableError`, and an error if the store returns too few bytes.
 */
export async function* blobLines(
  snapshot: Snapshot,
  blobs: Blobs,
  problems: BlobProblems,
): AsyncGenerator<ArchiveLine> {
  const rest = withoutTemporary("blobs");
  for (const row of await snapshot.rows(`select key, sha256, size_bytes from blobs${rest} order by key`)) {
    const [key, sizeBytes] = [String(row.key), Number(row.size_bytes)];
    const size = await blobs.size(key);
    if (size === undefined) problems.missing(key);
    else if (size !== sizeBytes) problems.damaged(key);
    else yield* pieceLines({ key, sizeBytes, sha256: String(row.sha256) }, blobs, problems);
  }
}

type BlobRow = { key: string; sizeBytes: number; sha256: string };

async function* pieceLines(
  { key, sizeBytes, sha256 }: BlobRow,
  blobs: Blobs,
  problems: BlobProblems,
): AsyncGenerator<ArchiveLine> {
  let bytes: AsyncIterable<Uint8Array>;
  try {
    bytes = await blobs.read(key);
  } catch (error) {
    if (error instanceof BlobMissingError) return problems.missing(key);
    throw error;
  }
  yield { type: "blob", key, sizeBytes };
  const hash = createHash("sha256");
  let count = 0;
  let buffered = Buffer.alloc(0);
  for await (const chunk of bytes) {
    hash.update(chunk);
    count += chunk.length;
    buffered = Buffer.concat([buffered, chunk]);
    for (; buffered.length >= pieceBytes; buffered = buffered.subarray(pieceBytes))
      yield { type: "piece", bytes: buffered.subarray(0, pieceBytes) };
  }
  if (count !== sizeBytes) throw new Error(`The blob ${key} has ${count} bytes instead of ${sizeBytes}.`);
  if (buffered.length > 0) yield { type: "piece", bytes: buffered };
  if (hash.digest("hex") !== sha256) problems.damaged(key);
}

/** The bytes after the line of a blob in an archive. */
export async function* readPieces(
  lines: AsyncIterator<ArchiveLine, unknown>,
  sizeBytes: number,
): AsyncGenerator<Uint8Array> {
  for (let rest = sizeBytes; rest > 0;) {
    const line = await lines.next();
    if (line.done === true || line.value.type !== "piece")
      throw new Error("A file in the backup is incomplete.");
    rest -= line.value.bytes.length;
    yield line.value.bytes;
  }
}
