import type { Readable } from "node:stream";
import { describeProblem, type StorageProblem } from "../in-place.ts";

/**
 * Where bytes are kept: a folder or a bucket. Knows keys and bytes; what they are of, whose they are and whether anyone
 * may see them is decided above. A key is lower-case letters, digits and `-_.`, in segments between slashes, and is
 * made by the server alone.
 */
export type Blobs = {
  readonly kind: "disk" | "s3";
  /**
   * Keeps what comes under `key`, which nobody may have used before. Nothing is readable under it until all of it is
   * kept and would survive a power cut; where `bytes` break off, or `signal` aborts before they end, nothing is left of
   * it. Answers how many there were. Throws what `bytes` throw, the signal's reason, `StorageFullError` and
   * `BlobsAwayError`, which may be a `BlobsUnavailableError` here and below.
   */
  put(key: string, bytes: AsyncIterable<Uint8Array>, options: PutOptions): Promise<number>;
  /** Its size; `undefined` where there is none. Throws `BlobsAwayError`. */
  size(key: string): Promise<number | undefined>;
  /**
   * Its bytes, or those from `start` to `end`, both included. Throws `BlobMissingError` and `BlobsAwayError`, the second
   * in their middle too.
   */
  read(key: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<Readable>;
  /** Takes it away; nothing happens where there is none. Throws `BlobsAwayError`. */
  remove(key: string): Promise<void>;
  /** What is kept under keys that begin with `prefix`, in no order. Throws `BlobsAwayError`. */
  list(prefix: string): AsyncIterable<{ key: string; sizeBytes: number; changedAtMs: number }>;
  /** Why nothing can be kept now, if so. Only a folder can be missing, replaced or read-only. */
  problem(): StorageProblem | undefined;
  /** Frees what is held open. Nothing may be asked afterwards. */
  close(): void;
  /** Where a browser sends bytes by itself; absent where they come through the server. */
  readonly direct?: DirectUploads;
};

export type PutOptions = {
  /** How many bytes will come, where that is known: a bucket wants to know it, and reads it off what comes otherwise. */
  sizeBytes?: number;
  signal?: AbortSignal;
  /** Whether nobody else looks at the bytes any more, so that their memory may be let go of at once. */
  givenAway?: boolean;
};

/** Both included, counted from 0. */
export type ByteRange = { start: number; end: number };

/** A bucket that takes bytes from whoever has a signed address. */
export type DirectUploads = {
  /** The origin that browsers send to. */
  readonly origin: string;
  /** An address that takes PUTs of `key` until then, of `sizeBytes` alone, and of `type` where one is given. */
  address(upload: { key: string; forSeconds: number; sizeBytes: number; type?: string }): Promise<string>;
};

/** There is nothing under this key. */
export class BlobMissingError extends Error {
  override readonly name = "BlobMissingError";
  constructor(key: string, options?: ErrorOptions) {
    super(`There are no bytes under ${key}.`, options);
  }
}

/** The store cannot be reached, or refuses us. What was asked may be asked again later. */
export class BlobsAwayError extends Error {
  override readonly name: string = "BlobsAwayError";
}

/** The folder is missing, replaced or read-only. It can be used again when it is back at its path. */
export class BlobsUnavailableError extends BlobsAwayError {
  override readonly name = "BlobsUnavailableError";
  constructor(problem: StorageProblem, options?: ErrorOptions) {
    super(describeProblem(problem), options);
  }
}

/** Throws where `key` could be anything but one of ours: a bug above, never a mistake of a caller's. */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`${JSON.stringify(key)} is no key of a blob.`);
}

/** Whether it could be one of ours: others may have put something beside what is. */
export function isKey(key: string): boolean {
  return key.length <= 255 && key.split("/").every((segment) => /^[a-z0-9_-][a-z0-9_.-]*$/.test(segment));
}
