import type { Readable } from "node:stream";
import { describeProblem, type StorageProblem } from "../lib/storage-path-check.ts";

/**
 * A store of bytes: a folder or a bucket. It does not know users or permissions. A key consists of segments separated by
 * slashes, each of lower-case letters, digits and `-_.`. Only the server chooses keys.
 */
export type Blobs = {
  readonly kind: "disk" | "s3";
  /**
   * Stores bytes under a new key and returns their number. They are readable only when all of them are stored and would
   * survive a power failure. If `bytes` throws, or `signal` aborts, nothing is kept. Throws the error of `bytes`, the
   * signal's reason, `StorageFullError`, and `BlobsUnreachableError`, which may be a `BlobsUnavailableError` in all methods.
   */
  put(key: string, bytes: AsyncIterable<Uint8Array>, options: PutOptions): Promise<number>;
  /** The size of the blob in bytes; `undefined` if there is none. Throws `BlobsUnreachableError`. */
  size(key: string): Promise<number | undefined>;
  /**
   * The bytes of the blob, or those from `start` to `end`, both included. Throws `BlobMissingError` and
   * `BlobsUnreachableError`. The stream may fail with the second.
   */
  read(key: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<Readable>;
  /** Deletes the blob, if it exists. Throws `BlobsUnreachableError`. */
  remove(key: string): Promise<void>;
  /** The blobs whose keys start with `prefix`, in no order. Throws `BlobsUnreachableError`. */
  list(prefix: string): AsyncIterable<{ key: string; sizeBytes: number; changedAtMs: number }>;
  /**
   * Removes what processes that died left of puts to keys that begin with `prefix`. A folder has one place for all of its
   * unfinished files: those to which nobody has written for minutes are removed. Throws `BlobsUnreachableError`.
   */
  removeUnfinished(prefix: string): Promise<void>;
  /**
   * Why nothing can be stored at present; `undefined` if the store accepts writes. Only a folder can be missing,
   * replaced or read-only.
   */
  problem(): StorageProblem | undefined;
  /** Releases resources. The store cannot be used afterwards. */
  close(): void;
  /** Uploads from browsers to the bucket; absent if they go through the server. */
  readonly directUploads?: DirectUploads;
};

export type PutOptions = {
  /** The number of bytes, if it is known. A bucket needs it, and otherwise buffers the bytes on disk first. */
  sizeBytes?: number;
  signal?: AbortSignal;
  /** Whether a bucket gets bytes of unknown number in parts, for what is too large to be buffered on disk. */
  inParts?: boolean;
  /** Whether the caller does not use the chunks afterwards, so that their memory can be freed at once. */
  freeChunks?: boolean;
};

/** Both included, counted from 0. */
export type ByteRange = { start: number; end: number };

/** A bucket that accepts uploads to signed URLs. */
export type DirectUploads = {
  /** The origin that browsers upload to. */
  readonly origin: string;
  /** A URL for PUT requests to `key`, with exactly `sizeBytes` bytes and with `type` if it is given. */
  signUrl(upload: { key: string; forSeconds: number; sizeBytes: number; type?: string }): Promise<string>;
};

/** No blob has this key. */
export class BlobMissingError extends Error {
  override readonly name = "BlobMissingError";
  constructor(key: string, options?: ErrorOptions) {
    super(`There are no bytes under ${key}.`, options);
  }
}

/** For `catch`: `undefined` for a missing blob; throws every other error. */
export function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof BlobMissingError)) throw error;
}

/** The store cannot be reached or refuses access. A retry may succeed later. */
export class BlobsUnreachableError extends Error {
  override readonly name: string = "BlobsUnreachableError";
}

/** The folder is missing, replaced or read-only. It can be used again when it is back at its path. */
export class BlobsUnavailableError extends BlobsUnreachableError {
  override readonly name = "BlobsUnavailableError";
  constructor(problem: StorageProblem, options?: ErrorOptions) {
    super(describeProblem(problem), options);
  }
}

/** Throws `TypeError` if `key` is not a valid key, which is a bug in the server. */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`${JSON.stringify(key)} is not a valid blob key.`);
}

/** Whether `key` is a valid key. Other programs may have stored objects with other keys in the same place. */
export function isKey(key: string): boolean {
  return key.length <= 255 && key.split("/").every((segment) => /^[a-z0-9_-][a-z0-9_.-]*$/.test(segment));
}
