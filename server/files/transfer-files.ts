import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { newId } from "#contract/ids.ts";
import { undefinedIfMissing, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Visitor } from "../lib/route.ts";
import { filesOfThread } from "./file-reference-rows.ts";
import type { Contents } from "./contents.ts";
import type { StoreUpload } from "./uploads/store-upload.ts";
import type { ReuseBytes } from "./uploads/reuse-bytes.ts";
import type { UploadThrottle } from "./uploads/upload-throttle.ts";
import type { Quota } from "../quota/quota.ts";
import { removeFile } from "./cleanup/release.ts";
import * as rows from "./rows.ts";

/** A file as an export describes it. `ids` are tried in order. */
export type DescribedFile = { ids: readonly string[]; name: string; sizeBytes: number; sha256: string };

export type ImportedFile = Pick<rows.FileRow, "id" | "secret" | "name"> & { isNew: boolean };

const batchSize = 200;

export type TransferFiles = ReturnType<typeof createTransferFiles>;

/** The files of exported and imported threads. */
export function createTransferFiles(options: {
  db: Database;
  blobs: Blobs;
  clock: Clock;
  contents: Pick<Contents, "find">;
  store: StoreUpload;
  reuseBytes: ReuseBytes;
  uploadThrottle: UploadThrottle;
  maxBytes: number;
  quota: Quota;
}) {
  const { db, blobs, clock, contents, store, reuseBytes, uploadThrottle, maxBytes, quota } = options;

  /** The file of the visitor's workspace with one of the `ids` and these bytes. */
  async function findExisting(
    visitor: Visitor,
    { ids, sha256 }: DescribedFile,
  ): Promise<ImportedFile | undefined> {
    return await db.write(async (tx) => {
      for (const id of ids) {
        const file = await rows.lockFile(tx, id);
        if (file?.workspace_id !== visitor.workspaceId || file.blob_key === null) continue;
        if ((await rows.findBlob(tx.q, file.blob_key))?.sha256 !== sha256) continue;
        // The file's last reference may be deleted already. This postpones the sweep until the new message references the
        // file.
        await rows.updateFile(tx, id, { released_at: clock.now() });
        return { ...file, isNew: false };
      }
      return undefined;
    });
  }

  /** Creates a pending file. `isOwn`: no other import created it before. */
  async function createPending(
    visitor: Visitor,
    { ids, name, sizeBytes }: DescribedFile,
  ): Promise<{ file: rows.FileRow; isOwn: boolean }> {
    const nowMs = clock.now();
    // With a new secret, so that the file's URL on the other server does not open it here.
    const file = rows.pendingFile(visitor, { id: ids.at(-1)!, name, declaredBytes: sizeBytes, nowMs });
    return await db.write(async (tx) => {
      const before = await rows.lockFile(tx, file.id);
      // A failed or a concurrent import created the row. The new `created_at` keeps that import from deleting it.
      if (before?.workspace_id === visitor.workspaceId && before.blob_key === null) {
        const joined = { created_at: Math.max(nowMs, before.created_at + 1) };
        await rows.updateFile(tx, before.id, joined);
        return { file: { ...before, ...joined }, isOwn: false };
      }
      const own = before === undefined ? file : { ...file, id: newId("file", nowMs) };
      await rows.insertFile(tx, own);
      return { file: own, isOwn: true };
    });
  }

  /** Deletes a pending file, unless another import uses it or a message references it. */
  async function removePending(own: rows.FileRow): Promise<void> {
    await db.write(async (tx) => {
      const file = await rows.lockFile(tx, own.id);
      const isOnlyOurs = file?.created_at === own.created_at && file.claimed_at === null;
      if (isOnlyOurs && file.blob_key === null) await removeFile(tx, file, clock.now());
    });
  }

  return {
    /** The stored files that a thread's messages reference, by id. */
    async ofThread(workspaceId: string, threadId: string): Promise<rows.StoredFile[]> {
      const ids = await filesOfThread(db, threadId);
      const found: rows.StoredFile[] = [];
      for (let from = 0; from < ids.length; from += batchSize)
        found.push(...(await contents.find(workspaceId, ids.slice(from, from + batchSize))).values());
      return found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },

    /** The bytes of a file; `undefined`: the store has lost them. Throws `BlobsUnreachableError`. */
    async open(file: rows.StoredFile): Promise<Readable | undefined> {
      return await blobs.read(file.blob_key).catch(undefinedIfMissing);
    },

    /**
     * Imports a file into the visitor's workspace. Returns the existing file with the same bytes and one of the `ids`, or
     * creates one, with the last of the `ids` if it is free. A message must reference the file within a day.
     *
     * `bytes` is called if the workspace does not have the bytes; `undefined`: the export does not contain them. Throws
     * `file-not-carried`, `import-damaged` if the bytes are not as described, `file-too-large`, `quota-full`, and what
     * `bytes` and the store throw. After an error there is no file, unless a concurrent import creates it.
     */
    async import(
      visitor: Visitor,
      described: DescribedFile,
      open: () => AsyncIterable<Uint8Array> | undefined,
      signal: AbortSignal,
    ): Promise<ImportedFile> {
      const existing = await findExisting(visitor, described);
      if (existing !== undefined) return existing;
      const { sizeBytes } = described;
      if (sizeBytes > maxBytes) throw new AppError("file-too-large");
      const owner = { app_id: visitor.appId, created_by: visitor.userId };
      await quota.check(owner, sizeBytes);
      const { file, isOwn } = await createPending(visitor, described);
      try {
        if (!(await reuseBytes(file, described))) {
          const source = open();
          if (source === undefined) throw new AppError("file-not-carried");
          const bytes = verified(source, described);
          await store(file, { bytes, sizeBytes, signal, throttle: uploadThrottle.start() });
        }
      } catch (error) {
        if (isOwn) await removePending(file);
        throw error;
      }
      return { ...file, isNew: true };
    },
  };
}

/** Passes the bytes on and checks them against the description. Throws `import-damaged`. */
async function* verified(
  source: AsyncIterable<Uint8Array>,
  { sha256, sizeBytes }: DescribedFile,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const chunk of source) {
    count += chunk.length;
    if (count > sizeBytes) break;
    hash.update(chunk);
    yield chunk;
  }
  if (count !== sizeBytes || hash.digest("hex") !== sha256) throw new AppError("import-damaged");
}
